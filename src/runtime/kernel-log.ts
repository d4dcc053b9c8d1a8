import { channelLog } from './channels.ts'
import { factLog } from './fact-log.ts'
import type { KernelPorts } from './kernel-door.ts'
import { bothLogs, type Log, logTo } from './log.ts'

/** What the kernel of this id writes down, to whoever its host has for it. */
export function kernelLog(kernel: string, { logger, facts }: Pick<KernelPorts, 'logger' | 'facts'>): Log {
  const channels = channelLog({ kernel })
  const written = logger === undefined ? channels : bothLogs(logTo(logger), channels)
  if (facts === undefined) return written
  const told = factLog(facts, (error) => written.listenerThrew(error))
  return bothLogs(written, told)
}
