import { z } from 'zod'
import { FileConfigSchema } from '../../domain/file-config.ts'
import { Name, WorkspaceName } from './fields.ts'
import { operation, streamedOperation } from './operation.ts'

export const ConfigChange = z.strictObject({
  kind: z
    .enum(['create', 'update', 'delete', 'take_over', 'release'])
    .describe('`take_over`: becomes managed by the file; `release`: stays, but is no longer managed by it'),
  workspace: WorkspaceName.nullable(),
  resource: z.string().describe('e.g. `routes/fast`'),
  fields: z.array(
    z.strictObject({
      field: z.string(),
      before: z.unknown(),
      after: z.unknown().describe('Of a secret only whether it is there or changes'),
    }),
  ),
})

const query = z.strictObject({
  prune: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Also delete what an earlier file set and this one does not name'),
})

const outcome = {
  changes: z.array(ConfigChange),
  unchanged: z.int().describe('Objects that already match the file'),
  not_in_file: z
    .array(z.strictObject({ workspace: WorkspaceName.nullable(), resource: z.string() }))
    .describe('What an earlier file set and this one does not name: left alone without `prune`'),
  config_file: z
    .string()
    .nullable()
    .describe('The file that this gateway applies at every start and edit; keep the two in sync'),
}

const tag = 'Configuration'
const body = FileConfigSchema.describe('The content of a configuration file, its variables filled in')

export const configOperations = {
  'config.plan': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/config/plan',
    tag,
    summary: 'Show what applying a configuration would change, without changing anything',
    query,
    body,
    reply: z.strictObject(outcome),
  }),
  'config.apply': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/config/apply',
    tag,
    summary: 'Apply a configuration in one transaction, effective for the next call',
    query,
    body,
    reply: z.strictObject({
      ...outcome,
      created_keys: z
        .array(z.strictObject({ workspace: WorkspaceName, name: Name, value: z.string() }))
        .describe('Keys created without a value in the file; their values are shown only here'),
    }),
  }),
  'config.export': streamedOperation({
    role: 'admin',
    scope: 'gateway',
    method: 'GET',
    path: '/config/export',
    tag,
    summary: 'The running configuration as a file that can be applied, without secrets',
    query: z.strictObject({ format: z.enum(['yaml', 'json']).default('yaml') }),
    stream: ['application/yaml', 'application/json'],
  }),
}
