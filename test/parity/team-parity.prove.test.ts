import { CORPUS, OWN, teamParityTests } from './team-suite.ts'

// All documents that programs can play, not only a choice of them.
await teamParityTests({ least: 130, folders: [CORPUS, OWN] })
