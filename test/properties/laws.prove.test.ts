import { proveLaws } from './prove-laws.ts'

for (const seed of [1, 2, 3]) proveLaws(seed, 4_000)
