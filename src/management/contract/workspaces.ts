import { z } from 'zod'
import { GuardrailSettings } from '../../domain/content/guardrail.ts'
import { ContentSettings } from '../../domain/content/settings.ts'
import { Limits } from '../../domain/limits.ts'
import { LoopSettings } from '../../domain/loops/settings.ts'
import { Resale } from '../../domain/pricing/resale.ts'
import { pageOf, paging, Timestamp, WorkspaceName } from './fields.ts'
import { OpeningBody, OpeningSpend } from './opening-spend.ts'
import { operation } from './operation.ts'

export const Workspace = z.strictObject({
  name: WorkspaceName,
  description: z.string().nullable(),
  limits: Limits.nullable().describe('Of all its keys together'),
  limits_managed_by: z.literal('config').nullable().describe('`config`: switchyard.yaml sets the limits'),
  streaming: z.boolean().nullable().describe("Whether calls may stream; null: the gateway's default, see `status`"),
  streaming_managed_by: z.literal('config').nullable().describe('`config`: switchyard.yaml sets `streaming`'),
  content: ContentSettings.nullable().describe('How prompts and answers are stored; null (default): not at all'),
  content_managed_by: z.literal('config').nullable().describe('`config`: switchyard.yaml sets `content`'),
  guardrail: GuardrailSettings.nullable().describe('The service that checks prompts and answers; null: none'),
  guardrail_managed_by: z.literal('config').nullable().describe('`config`: switchyard.yaml sets `guardrail`'),
  direct_models: z.boolean().nullable().describe('`false`: only its routes can be called; null: models by id, too'),
  direct_models_managed_by: z.literal('config').nullable().describe('`config`: switchyard.yaml sets `direct_models`'),
  resale: Resale.nullable().describe('What it charges its own customers, beside the cost; null: nothing'),
  resale_managed_by: z.literal('config').nullable().describe('`config`: switchyard.yaml sets `resale`'),
  loops: LoopSettings.nullable().describe('When sessions of agents count as loops, and what then happens; null: never'),
  loops_managed_by: z.literal('config').nullable().describe('`config`: switchyard.yaml sets `loops`'),
  opening_spend: OpeningSpend.nullable().describe('Spent elsewhere before it moved in; null: nothing'),
  created_at: Timestamp,
  routes: z.int(),
  live_keys: z.int(),
})

const settings = {
  description: z.string().max(1000).nullable().optional(),
  limits: Limits.nullable().optional(),
  streaming: z.boolean().nullable().optional().describe("Whether calls may stream; null: the gateway's default"),
  content: ContentSettings.nullable()
    .optional()
    .describe('Stores prompts and answers, encrypted and for a limited time; needs SECRETS_KEY. null: off'),
  guardrail: GuardrailSettings.nullable().optional().describe('A service that checks prompts and answers; null: none'),
  direct_models: z
    .boolean()
    .nullable()
    .optional()
    .describe('Whether models can be called by their ids; `false`: through routes only'),
  resale: Resale.nullable()
    .optional()
    .describe('What it charges its own customers: a markup on the cost, or prices of its own; for later calls'),
  loops: LoopSettings.nullable().optional().describe('Watches sessions of agents for loops; null: off'),
}

const tag = 'Workspaces'
const one = z.strictObject({ name: WorkspaceName })

export const workspaceOperations = {
  'workspaces.list': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/workspaces',
    tag,
    summary: 'List the workspaces by name',
    query: z.strictObject(paging),
    reply: pageOf(Workspace),
  }),
  'workspaces.create': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/workspaces',
    tag,
    summary: 'Create a workspace',
    body: z.strictObject({ name: WorkspaceName, ...settings }),
    reply: Workspace,
    status: 201,
  }),
  'workspaces.get': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/workspaces/{name}',
    tag,
    summary: 'Get a workspace',
    params: one,
    reply: Workspace,
  }),
  'workspaces.update': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PATCH',
    path: '/workspaces/{name}',
    tag,
    summary: 'Change the given settings of a workspace; null removes a setting',
    params: one,
    body: z.strictObject(settings),
    reply: Workspace,
  }),
  'workspaces.opening-spend': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PUT',
    path: '/workspaces/{name}/opening-spend',
    tag,
    summary:
      'Set what was spent elsewhere before a workspace moved in; it counts in its budget, and in no sum of usage',
    params: one,
    body: OpeningBody,
    reply: Workspace,
  }),
  'workspaces.guardrail-secret': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'GET',
    path: '/workspaces/{name}/guardrail-secret',
    tag,
    summary: 'Show the secret that signs requests to the guardrail of a workspace; derived from SECRETS_KEY',
    params: one,
    reply: z.strictObject({ secret: z.string().describe('`whsec_…`, as libraries of Standard Webhooks take it') }),
  }),
  'workspaces.delete': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'DELETE',
    path: '/workspaces/{name}',
    tag,
    summary: 'Delete a workspace; refused while it has live keys, unless forced',
    params: one,
    query: z.strictObject({ force: z.enum(['true', 'false']).default('false') }),
  }),
}
