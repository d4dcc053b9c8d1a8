import { goDurationMs, rfc3339At } from './duration.ts'
import { isObject } from './json-object.ts'

/** What `error.details[]` of Google says about a limit (wire.md §4, google.rpc.QuotaFailure, RetryInfo, ErrorInfo). */
export interface GoogleDetails {
  /** `RetryInfo.retryDelay`; for a quota of a day far too short. */
  readonly retryDelayMs: number | null
  /** `quotaResetTimeStamp` of the Code Assist back end, epoch ms. */
  readonly resetsAt: number | null
  /** Some quota that was passed is one of a day. */
  readonly daily: boolean
}

/** There is no list of details. */
export const NO_DETAILS: GoogleDetails = { retryDelayMs: null, resetsAt: null, daily: false }

/** More are not looked at. */
const MOST = 32

export function googleDetails(details: unknown): GoogleDetails {
  if (!Array.isArray(details)) return NO_DETAILS
  let { retryDelayMs, resetsAt, daily } = NO_DETAILS
  for (const detail of details.slice(0, MOST)) {
    if (!isObject(detail)) continue
    const metadata = isObject(detail.metadata) ? detail.metadata : {}
    retryDelayMs ??= durationMs(detail.retryDelay) ?? durationMs(metadata.quotaResetDelay)
    resetsAt ??= typeof metadata.quotaResetTimeStamp === 'string' ? rfc3339At(metadata.quotaResetTimeStamp) : null
    daily ||= isDaily(metadata.quota_limit) || violated(detail.violations)
  }
  return { retryDelayMs, resetsAt, daily }
}

/** The list holds every quota that was passed, so one of a day among them is the one that lasts. */
function violated(violations: unknown): boolean {
  return Array.isArray(violations) && violations.slice(0, MOST).some((violation) => isObject(violation) && isDaily(violation.quotaId))
}

/** `GenerateRequestsPerDayPerProjectPerModel-FreeTier`. */
function isDaily(quotaId: unknown): boolean {
  return typeof quotaId === 'string' && quotaId.slice(0, 200).includes('PerDay')
}

function durationMs(value: unknown): number | null {
  return typeof value === 'string' ? goDurationMs(value) : null
}
