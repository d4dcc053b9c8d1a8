import { proveBoundaries } from './prove-boundaries.ts'

proveBoundaries(20_260_301, 200)
