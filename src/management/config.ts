import { stringify } from 'yaml'
import { contentProblem } from '../content/settings-problem.ts'
import { GatewayError } from '../domain/errors.ts'
import type { FileConfig } from '../domain/file-config.ts'
import { applyConfig, type ConfigInput, type ConfigResult, planConfig } from '../store/config-file/apply-config.ts'
import { readAlertRows } from '../store/config-file/config-alerts.ts'
import { readCallers } from '../store/config-file/config-callers.ts'
import { type ExportedConfig, exportConfig } from '../store/config-file/export-config.ts'
import { readBuiltinRegistry } from '../store/control/seed-registry.ts'
import { readControlRows } from '../store/control/snapshot.ts'
import { StoreError } from '../store/engine/store-error.ts'
import type { configOperations } from './contract/config.ts'
import type { ManagementDeps } from './deps.ts'
import type { Context, HandlersOf } from './router.ts'

export function configHandlers(deps: ManagementDeps): HandlersOf<typeof configOperations> {
  const { db, secrets, live, configFile } = deps
  const input = (config: FileConfig, prune: string, { actor, now }: Context): ConfigInput => ({
    secrets,
    config,
    environment: deps.environmentProviders,
    kinds: deps.providerKinds,
    contentProblem,
    actor,
    prune: prune === 'true',
    now,
  })
  return {
    'config.plan': async ({ query, body }, context) =>
      toConfigChanges(await orRefused(() => planConfig(db, input(body, query.prune, context))), configFile),
    async 'config.apply'({ query, body }, context) {
      const apply = () => live.change((transaction) => applyConfig(transaction, input(body, query.prune, context)))
      const result = await orRefused(apply)
      return { ...toConfigChanges(result, configFile), created_keys: result.created }
    },
    async 'config.export'({ query }, { now }) {
      const read = await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (transaction) => ({
          rows: await readControlRows(transaction),
          alerts: await readAlertRows(transaction),
          callers: await readCallers(transaction),
        }))
      const exported = await orRefused(async () =>
        exportConfig({ ...read, secrets, builtin: readBuiltinRegistry(), kinds: deps.providerKinds, now }),
      )
      if (query.format === 'yaml') return { mediaType: 'application/yaml', pieces: onePiece(yamlText(exported)) }
      const text = `${JSON.stringify(exported.config, null, 2)}\n`
      return { mediaType: 'application/json', pieces: onePiece(text) }
    },
  }
}

/** A StoreError is a mistake in the configuration and names its place. */
async function orRefused<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreError) throw new GatewayError('invalid_request', error.message)
    throw error
  }
}

function toConfigChanges({ changes, unchanged, notInFile }: Omit<ConfigResult, 'created'>, configFile: string | null) {
  const withoutIds = changes.map(({ auditResource: _id, ...change }) => change)
  return { changes: withoutIds, unchanged, not_in_file: notInFile, config_file: configFile }
}

function yamlText({ config, variables, fromEnvironment }: ExportedConfig): string {
  const from = fromEnvironment.length === 0 ? [] : [`Providers from the environment: ${fromEnvironment.join(', ')}.`]
  const notes = [
    'The running configuration. Apply it with: switchyard apply -f FILE',
    variables.length === 0
      ? 'It needs no variables.'
      : `Secrets are not included. Set these variables first: ${variables.join(', ')}.`,
    'A key that does not exist yet gets a new value, which is shown once.',
    ...from,
  ]
  return `${notes.map((note) => `# ${note}\n`).join('')}${stringify(config, { lineWidth: 0 })}`
}

async function* onePiece(text: string): AsyncIterable<string> {
  yield text
}
