import { isJsonObject } from '../../domain/request/call-request.ts'
import type { Direction, Finding, Status } from '../finding.ts'
import type { At, LitellmSource, Values } from './source.ts'
import { inside } from './yaml-lines.ts'

/** What happens to a setting. */
export interface Verdict {
  status: Status
  direction: Direction
  target: string | null
  message: string
}

export function exact(target: string | null, message = ''): Verdict {
  return { status: 'exact', direction: 'same', target, message }
}
export function approximate(target: string | null, message: string, direction: Direction = 'same'): Verdict {
  return { status: 'approximate', direction, target, message }
}
export function manual(message: string, direction: Direction = 'same', target: string | null = null): Verdict {
  return { status: 'manual', direction, target, message }
}
export function unsupported(message: string, direction: Direction = 'same'): Verdict {
  return { status: 'unsupported', direction, target: null, message }
}

/** Where a setting is; sections, models and credentials of the source are such places. */
export interface Place {
  path: string
  at: At
}

const RANK: Readonly<Record<Status, number>> = { exact: 0, approximate: 1, manual: 2, unsupported: 3 }

export interface Notes {
  /** `key` inside `place`, e.g. `litellm_params.model`; empty: all of it that has no finding of its own. Of two verdicts on one setting the worse one stays. */
  add(place: Place, key: string, verdict: Verdict): void
  /** As `add`, where there is no finding yet. */
  fill(place: Place, key: string, verdict: Verdict): void
  /** What no setting says. */
  general(path: string, verdict: Verdict): void
  /** One finding for every setting of the source, in its order: those without a verdict are unsupported. */
  findings(source: LitellmSource): Finding[]
}

export function createNotes(): Notes {
  const noted = new Map<string, Finding>()
  const generals: Finding[] = []
  const put = (source: string, path: string, verdict: Verdict) => {
    const before = noted.get(path)
    if (before === undefined || RANK[verdict.status] > RANK[before.status]) {
      noted.set(path, { source, path, ...verdict })
    }
  }
  return {
    add: ({ path, at }, key, verdict) => put(at(key), key === '' ? path : inside(path, key), verdict),
    fill: ({ path, at }, key, verdict) => {
      if (!noted.has(inside(path, key))) put(at(key), inside(path, key), verdict)
    },
    general: (path, verdict) => generals.push({ source: '', path, ...verdict }),
    findings(source) {
      const found = new Map<string, Finding>()
      for (const { path, source: line } of leavesOf(source)) {
        const covering = [path, ...ancestors(path)].map((each) => noted.get(each)).find((each) => each !== undefined)
        const finding = covering ?? { source: line, path, ...unsupported('not a setting the import knows; left out') }
        found.set(finding.path, finding)
      }
      for (const [path, finding] of noted) if (!found.has(path)) found.set(path, finding)
      return [...found.values(), ...generals]
    },
  }
}

/** `a.b[0].c` → `a.b[0]`, `a.b`, `a` */
function ancestors(path: string): string[] {
  const cut = Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))
  return cut <= 0 ? [] : [path.slice(0, cut), ...ancestors(path.slice(0, cut))]
}

export interface Leaf {
  path: string
  source: string
}

/** Every setting: a scalar, a list without mappings, or an empty mapping. */
export function leavesOf({ models, credentials, ...sections }: LitellmSource): Leaf[] {
  const { general, router, litellm, environment, rest } = sections
  return [
    ...models.flatMap(({ name, params, info, rest: more, ...place }) =>
      leaves({ ...place, key: '' }, { model_name: name, litellm_params: params, model_info: info, ...more }),
    ),
    ...credentials.flatMap(({ name, values, rest: more, ...place }) =>
      leaves({ ...place, key: '' }, { credential_name: name, credential_values: values, ...more }),
    ),
    ...[litellm, router, general, environment, rest].flatMap(({ values, ...place }) =>
      leaves({ ...place, key: '' }, values),
    ),
  ]
}

function leaves(place: Place & { key: string }, value: unknown): Leaf[] {
  const { key } = place
  const inner = isJsonObject(value)
    ? Object.entries(value as Values).map(([name, item]) => [inside(key, name), item] as const)
    : Array.isArray(value) && value.some(isJsonObject)
      ? value.map((item, index) => [`${key}[${index}]`, item] as const)
      : []
  if (inner.length > 0) return inner.flatMap(([name, item]) => leaves({ ...place, key: name }, item))
  // What is left out and what is empty are the same.
  return key === '' || isJsonObject(value) ? [] : [{ path: inside(place.path, key), source: place.at(key) }]
}
