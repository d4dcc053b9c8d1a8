import { proveBoundaries } from './prove-boundaries.ts'

for (const seed of [1, 2]) proveBoundaries(seed, 2_000)
