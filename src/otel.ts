/**
 * The door `relevo/otel`: turns as spans and metrics of OpenTelemetry. Apart from `relevo`, because it needs the package `@opentelemetry/api`,
 * which is the user's to install, with the SDK that exports what is written.
 */

export { NAME_VERSIONS, type NameVersion } from './adapters/otel/names.ts'
export { startTelemetry, type Telemetry, type TelemetryOptions } from './adapters/otel/telemetry.ts'
