import { CORPUS, OWN, parityTests } from './suite.ts'

// All documents that a network can carry, not only a choice of them.
await parityTests(Number.POSITIVE_INFINITY, 300, [CORPUS, OWN])
