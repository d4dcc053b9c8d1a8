import { teamParityTests } from './team-suite.ts'

// All documents that programs can play, not only a choice of them.
await teamParityTests({ least: 120 })
