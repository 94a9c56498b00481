import { BALANCES } from '../domain/route.ts'
import { CliError } from './cli-error.ts'

export const ENTRY_FORM =
  'PROVIDER/MODEL[,timeout_ms=N][,idle_timeout_ms=N][,retries=N][,max_output_tokens=N][,hedge_after_ms=N]'
export const GROUP_FORM = `${BALANCES.join('|')}[,sticky=false][,hedge_after_ms=N]: ENTRY[,weight=N] | ENTRY[,weight=N]`

const HEDGE = 'hedge_after_ms'
const SETTINGS = ['timeout_ms', 'idle_timeout_ms', 'retries', 'max_output_tokens']
const GROUP = new RegExp(`^(${BALANCES.join('|')})((?:,[^:]*)?):(.*)$`, 's')

/** One place of a chain: `provider/model,retries=1`, or `weighted: provider/model,weight=3 | other/model`. */
export function placeOf(written: string): Record<string, unknown> {
  const [, balance, options = '', members = ''] = GROUP.exec(written.trim()) ?? []
  if (balance === undefined) return entryOf(written, written, [...SETTINGS, HEDGE])
  return {
    balance,
    ...groupOptions(options, written),
    members: members.split('|').map((member) => entryOf(member.trim(), written, [...SETTINGS, 'weight'])),
  }
}

function groupOptions(options: string, written: string): Record<string, unknown> {
  const pairs = options.split(',').slice(1)
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^(?:(sticky)=(true|false)|(hedge_after_ms)=(\d+))$/.exec(pair)?.filter(Boolean) ?? []
      if (name === undefined) throw new CliError(`-e ${written}: expected ${GROUP_FORM}`, 2)
      return [name, JSON.parse(value ?? '')]
    }),
  )
}

function entryOf(entry: string, written: string, allowed: readonly string[]): Record<string, unknown> {
  const [target = '', ...settings] = entry.split(',')
  const slash = target.indexOf('/')
  if (!/^[\w-]+\//.test(target)) throw new CliError(`-e ${written}: expected ${ENTRY_FORM}, or ${GROUP_FORM}`, 2)
  const fields = settings.map((setting) => {
    const [, name = '', value] = /^(\w+)=(\d+)$/.exec(setting) ?? []
    if (allowed.includes(name)) return [name, Number(value)]
    const expected = allowed.map((each) => `${each}=N`)
    throw new CliError(
      `-e ${written}: unknown setting '${setting}'; expected ${expected.slice(0, -1).join(', ')} or ${expected.at(-1)}`,
      2,
    )
  })
  return { provider: target.slice(0, slash), model: target.slice(slash + 1), ...Object.fromEntries(fields) }
}
