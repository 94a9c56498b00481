import type { Finding } from '../../finding.ts'
import type { HowKept, Kept, LitellmSource, SourceSection, Values } from '../source.ts'
import type { LitellmDatabase } from './database.ts'
import { openValue } from './open-value.ts'
import { isEmpty, jsonIn, type Row, unwrapped } from './rows.ts'

interface Opened {
  values: Values
  kept: HowKept
}

/** Counts what the salt key opens, and drops what it does not. */
interface Opener {
  open(stored: Values): Opened
  sealed: number
  locked: number
}

const IN_CLEAR: Kept = 'in clear in the database'
const ENCRYPTED: Kept = 'encrypted in the database'

function createOpener(key: Buffer | null): Opener {
  const opener: Opener = {
    sealed: 0,
    locked: 0,
    open(stored) {
      const entries = Object.entries(stored).map(([name, value]) => [
        name,
        typeof value === 'string' ? open(value) : value,
      ])
      const values: Values = Object.fromEntries(entries.filter(([, value]) => value !== undefined))
      return { values, kept: (name) => (values[name] === stored[name] ? IN_CLEAR : ENCRYPTED) }
    },
  }
  function open(value: string): string | undefined {
    const opened = openValue(value, key)
    if (opened.kind === 'text' && opened.text === value) return value
    opener.sealed++
    if (opened.kind === 'text') return opened.text
    opener.locked++
    return undefined
  }
  return opener
}

const SECTIONS = {
  general_settings: 'general',
  router_settings: 'router',
  litellm_settings: 'litellm',
  environment_variables: 'environment',
} as const

/** Models, credentials and settings that are kept in the database, as LiteLLM puts them over those of the file. */
export async function addToSource(
  source: LitellmSource,
  database: LitellmDatabase,
  saltKey: Buffer | null,
): Promise<{ source: LitellmSource; findings: Finding[] }> {
  const opener = createOpener(saltKey)
  const findings: Finding[] = []
  const added: LitellmSource = { ...source, models: [...source.models], credentials: [...source.credentials] }
  for (const row of await database.table('LiteLLM_ProxyModelTable')) addModel(added, row, opener, findings)
  for (const row of await database.table('LiteLLM_CredentialsTable')) addCredential(added, row, opener)
  for (const row of await database.table('LiteLLM_Config')) {
    const field = SECTIONS[String(row['param_name']) as keyof typeof SECTIONS]
    if (field === undefined) continue
    const values = jsonIn(row, 'param_value')
    added[field] = over(
      added[field],
      field === 'environment' ? opener.open(values).values : values,
      String(row['param_name']),
    )
  }
  if (opener.locked > 0) findings.push(lockedFinding(opener, saltKey))
  return { source: added, findings }
}

function lockedFinding({ sealed, locked }: Opener, saltKey: Buffer | null): Finding {
  const why = saltKey === null ? 'no salt key was given' : `the salt key does not open ${locked} of ${sealed} values`
  return {
    source: 'database:LiteLLM_ProxyModelTable',
    path: 'litellm_params',
    status: 'manual',
    direction: 'tighter',
    target: null,
    message: `${why}: pass the file with LITELLM_SALT_KEY (else the master key that was used) as --salt-key-file, or set the keys of these providers here`,
  }
}

function addModel(source: LitellmSource, row: Row, opener: Opener, findings: Finding[]): void {
  const id = String(row['model_id'])
  const place = `database:LiteLLM_ProxyModelTable/${id}`
  const { values: params, kept } = opener.open(jsonIn(row, 'litellm_params'))
  if (typeof params['model'] !== 'string') {
    const message = `'${row['model_name']}' is left out: its values cannot be opened without the right salt key`
    findings.push({ source: place, path: 'model', status: 'manual', direction: 'tighter', target: null, message })
    return
  }
  source.models.push({
    name: String(row['model_name']),
    params,
    info: { id, ...jsonIn(row, 'model_info') },
    rest: row['blocked'] === true ? { blocked: true } : {},
    path: place,
    source: place,
    at: () => place,
    kept,
  })
}

function addCredential(source: LitellmSource, row: Row, opener: Opener): void {
  const name = String(row['credential_name'])
  const place = `database:LiteLLM_CredentialsTable/${name}`
  const { values, kept } = opener.open(jsonIn(row, 'credential_values'))
  source.credentials.push({
    name,
    values,
    rest: jsonIn(row, 'credential_info'),
    path: place,
    source: place,
    at: () => place,
    kept,
  })
}

/** Null and empty lists of the database do not hide what the file says. */
function over(section: SourceSection, values: Values, table: string): SourceSection {
  const ours = new Set(leaves(values))
  return {
    ...section,
    values: merged(section.values, values),
    at: (path) => (ours.has(path) ? `database:LiteLLM_Config/${table}` : section.at(path)),
    kept: (path) => (ours.has(path) ? IN_CLEAR : (section.kept?.(path) ?? 'written in clear in the file')),
  }
}

function merged(below: Values, above: Values): Values {
  const result = { ...below }
  for (const [name, given] of Object.entries(above)) {
    const value = unwrapped(given)
    const before = result[name]
    if (value === null || (Array.isArray(value) && isEmpty(value))) continue
    result[name] = isValues(value) && isValues(before) ? merged(before, value) : value
  }
  return result
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function leaves(values: Values, path = ''): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const inner = path === '' ? name : `${path}.${name}`
    return isValues(value) ? [inner, ...leaves(value, inner)] : [inner]
  })
}
