import type { Reply } from '../../api/client.ts'
import { count, percent } from '../../format/number.ts'

type Status = Reply<'status.get'>
export type ProviderStatus = Status['providers'][number]

export interface Health {
  tone: 'good' | 'warn' | 'bad' | 'idle'
  words: string
}

/** How a provider behaves, in a few words: the worst that is true of it. */
export function healthOf({ configured, circuits, calls_5m: calls, errors_5m: errors }: ProviderStatus): Health {
  if (!configured) return { tone: 'idle', words: 'not configured' }
  if (calls > 0 && errors / calls >= 0.5) return { tone: 'bad', words: `${percent(errors, calls)} of its calls fail` }
  const open = circuits.filter(({ state }) => state === 'open').length
  if (open > 0) return { tone: 'warn', words: open === 1 ? 'one model is skipped' : `${open} models are skipped` }
  if (circuits.length > 0) return { tone: 'warn', words: 'a model is being retried' }
  if (errors > 0) return { tone: 'warn', words: `${count(errors)} failed` }
  return calls === 0 ? { tone: 'idle', words: 'not called' } : { tone: 'good', words: 'works' }
}

/** What is wrong with the gateway itself; mostly nothing. */
export function noticesOf({ phase, log, catalog }: Status): string[] {
  const notices: string[] = []
  if (phase === 'draining')
    notices.push('This gateway is stopping: it finishes the calls in flight and takes no new ones.')
  if (log.last_error !== null) {
    notices.push(`${count(log.lag_rows)} requests are kept safe but not in the database yet: ${log.last_error}`)
  }
  for (const { provider, problem } of catalog) {
    if (problem !== null) notices.push(`The list of models of ${provider} could not be read: ${problem}`)
  }
  return notices
}
