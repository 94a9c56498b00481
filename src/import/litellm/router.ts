import { isJsonObject } from '../../domain/request/call-request.ts'
import type { Balance } from '../../domain/route.ts'
import type { Routing } from './chains.ts'
import { isGiven } from './draft-row.ts'
import { takeRetries, takeSeconds } from './entry-params.ts'
import { approximate, exact, manual, type Notes, unsupported, type Verdict } from './notes.ts'
import type { LitellmSource, SourceSection } from './source.ts'
import type { Environment } from './written-value.ts'

/** LiteLLM's, where no setting says otherwise. */
const DEFAULT_LITELLM_RETRIES = 2
const LITELLM_TIMEOUT =
  'LiteLLM waits 6,000 s where no timeout is set; here the first content must come within 600 s (timeout_ms of an entry)'

const STRATEGIES: Readonly<Record<string, readonly [Balance | 'cheapest', Verdict]>> = {
  'simple-shuffle': ['weighted', exact('balance: weighted')],
  'least-busy': ['least_busy', approximate('balance: least_busy', 'counted in each gateway')],
  'latency-based-routing': ['fastest', approximate('balance: fastest', 'measured in another way')],
  'usage-based-routing': ['weighted', usageBased()],
  'usage-based-routing-v2': ['weighted', usageBased()],
  'cost-based-routing': [
    'cheapest',
    approximate('places of the chain', 'from the cheapest to the dearest, by the registry'),
  ],
}

function usageBased(): Verdict {
  return approximate('balance: weighted', 'by rpm or tpm as a share of the calls; they are no ceiling here', 'looser')
}

/** Sessions keep their deployment there, too. */
const AFFINITIES: ReadonlySet<unknown> = new Set(['deployment_affinity', 'session_affinity', 'prompt_caching'])

/** A setting of the router: `router_settings` wins over the same name in `litellm_settings`. */
export interface RouterSetting {
  name: string
  section: SourceSection
  value: unknown
}

export function routerSetting(source: LitellmSource, notes: Notes, name: string): RouterSetting | null {
  const [first, second] = [source.router, source.litellm].filter(({ values }) => isGiven(values[name]))
  if (second !== undefined) notes.add(second, name, exact(null, 'that of router_settings is used'))
  return first === undefined ? null : { name, section: first, value: first.values[name] }
}

export function readRouting(source: LitellmSource, notes: Notes, environment: Environment): Routing {
  const reading = (name: string) => {
    const setting = routerSetting(source, notes, name)
    if (setting === null) return null
    const { section, value } = setting
    return {
      values: { [name]: value },
      environment,
      note: (key: string, verdict: Verdict) => notes.add(section, key, verdict),
    }
  }
  const seconds = (name: string, target: string, difference?: string) => {
    const given = reading(name)
    return given === null ? undefined : takeSeconds(given, name, target, difference)
  }
  const [timeout] = ['timeout', 'request_timeout'].flatMap((name) => seconds(name, 'timeout_ms of every entry') ?? [])
  const idle = seconds('stream_timeout', 'idle_timeout_ms of every entry', 'here it limits the silence inside a stream')
  if (timeout === undefined) notes.general('router_settings.timeout', approximate(null, LITELLM_TIMEOUT, 'tighter'))
  const given = reading('num_retries')
  const retries = given === null ? null : takeRetries(given, 'num_retries')
  return {
    ...readBalance(source, notes),
    retries: retries ?? DEFAULT_LITELLM_RETRIES,
    entry: { ...(timeout && { timeout_ms: timeout }), ...(idle && { idle_timeout_ms: idle }) },
  }
}

function readBalance({ router }: LitellmSource, notes: Notes): Pick<Routing, 'balance' | 'isSticky'> {
  const { routing_strategy: strategy, optional_pre_call_checks: checks } = router.values
  const found = STRATEGIES[String(strategy ?? 'simple-shuffle')]
  if (isGiven(strategy)) {
    notes.add(
      router,
      'routing_strategy',
      found?.[1] ?? unsupported('this strategy has no counterpart: calls are spread by weight'),
    )
  }
  const isSticky = Array.isArray(checks) && checks.some((check) => AFFINITIES.has(check))
  if (isGiven(checks))
    notes.add(router, 'optional_pre_call_checks', isSticky ? exact('sticky') : exact(null, 'not needed here'))
  return { balance: found?.[0] ?? 'weighted', isSticky }
}

export interface Fallbacks {
  /** By the name that was asked for. */
  of: Map<string, string[]>
  /** Of every name without its own. */
  others: string[]
  most: number
}

const MOST_FALLBACKS = 5

/** `names`: what can be called. */
export function readFallbacks(source: LitellmSource, notes: Notes, names: ReadonlySet<string>): Fallbacks {
  const of = new Map<string, string[]>()
  const given = routerSetting(source, notes, 'fallbacks')
  let others: string[] = []
  forEach(given, notes, (model, list, note) => {
    if (!list.every((name): name is string => typeof name === 'string')) {
      return note(manual('only names of models can be fallbacks: write it as a route'))
    }
    const [known, unknown] = [list.filter((name) => names.has(name)), list.filter((name) => !names.has(name))]
    if (unknown.length > 0) note(manual(`${unknown.join(', ')} cannot be called here: left out`))
    else if (model !== '*' && !names.has(model)) note(manual('this model cannot be called here: left out'))
    else note(approximate(`chain of "${model}"`, AFTER_ERRORS, 'tighter'))
    if (model === '*') others = known
    else of.set(model, known)
  })
  const defaults = routerSetting(source, notes, 'default_fallbacks')
  if (defaults !== null) {
    const list = Array.isArray(defaults.value)
      ? defaults.value.filter((name) => names.has(String(name))).map(String)
      : []
    others = list
    const message = 'LiteLLM also sends unknown model names there; here they get 404'
    notes.add(
      defaults.section,
      'default_fallbacks',
      approximate('chains without fallbacks of their own', message, 'tighter'),
    )
  }
  const most = routerSetting(source, notes, 'max_fallbacks')
  if (most !== null) notes.add(most.section, 'max_fallbacks', exact('length of the chains'))
  return { of, others, most: Number(most?.value ?? MOST_FALLBACKS) || MOST_FALLBACKS }
}

const AFTER_ERRORS = 'LiteLLM falls back after every error; here not after a mistake of the caller'

type EachFallback = (model: string, list: readonly unknown[], note: (verdict: Verdict) => void) => void

/** `[{A: [B, C]}]` */
function forEach(setting: RouterSetting | null, notes: Notes, each: EachFallback): void {
  if (setting === null) return
  const { name, section, value } = setting
  if (!Array.isArray(value)) {
    notes.add(section, name, manual('is not a list of mappings: left out'))
    return
  }
  for (const [index, item] of value.entries()) {
    if (!isJsonObject(item)) {
      notes.add(
        section,
        value.some(isJsonObject) ? `${name}[${index}]` : name,
        manual('is not a mapping of a model to its fallbacks: left out'),
      )
      continue
    }
    for (const [model, list] of Object.entries(item)) {
      const note = (verdict: Verdict) => notes.add(section, `${name}[${index}].${model}`, verdict)
      if (Array.isArray(list)) each(model, list, note)
      else note(manual('is not a list of models: left out'))
    }
  }
}

/** The chains decide themselves where a prompt that is too long goes. */
export function noteWindowFallbacks(
  source: LitellmSource,
  notes: Notes,
  chainNames: ReadonlyMap<string, readonly string[]>,
): void {
  forEach(routerSetting(source, notes, 'context_window_fallbacks'), notes, (model, list, note) => {
    const isInChain = list.every((name) => chainNames.get(model)?.includes(String(name)))
    if (isInChain)
      note(exact(`chain of "${model}"`, 'a prompt that is too long goes to the next entry with a larger window'))
    else note(manual('add them to the chain, if they may also serve other failures'))
  })
  const policy = routerSetting(source, notes, 'content_policy_fallbacks')
  if (policy !== null)
    notes.add(
      policy.section,
      'content_policy_fallbacks',
      unsupported('a refusal by a content filter is final here', 'tighter'),
    )
}

/** Second names: one step only, as in LiteLLM. */
export function readAliases(source: LitellmSource, notes: Notes, groups: ReadonlySet<string>): Map<string, string> {
  const aliases = new Map<string, string>()
  for (const [section, key] of [
    [source.litellm, 'model_alias_map'],
    [source.router, 'model_group_alias'],
    [source.litellm, 'model_group_alias'],
  ] as const) {
    const map = section.values[key]
    if (!isJsonObject(map)) continue
    for (const [alias, value] of Object.entries(map)) {
      const model = isJsonObject(value) ? value['model'] : value
      const isHidden = isJsonObject(value) && value['hidden'] === true
      const at = `${key}.${alias}`
      if (typeof model !== 'string' || !groups.has(model)) {
        notes.add(section, at, manual('does not name a model of the model_list: left out'))
        continue
      }
      aliases.set(alias, model)
      notes.add(
        section,
        at,
        isHidden ? approximate(`route "${alias}"`, 'is listed with the others') : exact(`route "${alias}"`),
      )
    }
  }
  return aliases
}
