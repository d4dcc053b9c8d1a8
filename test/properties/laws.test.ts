import { proveLaws } from './prove-laws.ts'

proveLaws(20_260_301, 400)
