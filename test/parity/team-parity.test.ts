import { teamParityTests } from './team-suite.ts'

await teamParityTests({ count: 30, mostRuns: 6, least: 120 })
