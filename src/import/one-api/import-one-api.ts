import { FileConfigSchema } from '../../domain/file-config.ts'
import type { Finding } from '../finding.ts'
import type { MovedKey } from '../litellm/database/keys.ts'
import { createTally } from '../litellm/database/tally.ts'
import type { MovedWorkspace } from '../litellm/database/teams.ts'
import type { MappedConfig } from '../litellm/mapped-config.ts'
import { mapChannels } from './channels.ts'
import { readOneApi } from './read-database.ts'
import { mapTokens } from './tokens.ts'

export interface ImportedOneApi {
  config: MappedConfig['config']
  variables: MappedConfig['variables']
  findings: Finding[]
  workspaces: MovedWorkspace[]
  keys: MovedKey[]
}

/** Keys, channels and quotas of one-api and its descendants, from their SQLite file. */
export function importOneApi(path: string, { taken, now }: { taken: readonly string[]; now: number }): ImportedOneApi {
  const tables = readOneApi(path)
  const tally = createTally()
  const { providers, routes, variables, findings } = mapChannels(tables.channels)
  const names = new Set(['default', ...taken.map((name) => name.toLowerCase())])
  const { workspaces, keys } = mapTokens(tables, tally, { taken: names, now })
  const config = { providers, workspaces: { default: { streaming: true, direct_models: false, routes } } }
  FileConfigSchema.parse(config)
  return { config, variables, findings: [...findings, ...tally.findings()], workspaces, keys }
}
