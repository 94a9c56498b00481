import { z } from 'zod'
import { KeyTemplateSettings } from '../../domain/people/key-template.ts'
import { Name, Timestamp, Usd, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'
import { OwnBudget } from './value-budgets.ts'

const KeyTemplate = KeyTemplateSettings.extend({
  name: Name,
  workspace: WorkspaceName,
  managed_by: z.literal('config').nullable().describe('`config`: switchyard.yaml sets it'),
})

const MyKey = z.strictObject({
  id: z.string(),
  name: Name,
  prefix: z.string(),
  template: Name,
  workspace: WorkspaceName,
  created_at: Timestamp,
  expires_at: Timestamp.nullable(),
  revoked_at: Timestamp.nullable(),
  paused_at: Timestamp.nullable(),
  allowed_models: KeyTemplateSettings.shape.allowed_models.unwrap(),
  limits: KeyTemplateSettings.shape.limits.unwrap(),
  last_used_at: Timestamp.nullable(),
  spent_usd: Usd.describe('Sum of the costs of its calls, exact'),
})
/** In a list: with what is left. */
const ListedKey = MyKey.extend({
  budgets: z.array(OwnBudget).describe('Budgets of the key itself; neither of its workspace nor for each session'),
})
const WithValue = MyKey.extend({ value: z.string().describe('The value itself: shown now and never again') })

const one = z.strictObject({ id: z.string().max(64) })
const named = z.strictObject({ name: Name })
const [tag, adminTag] = ['My keys', 'Key templates']

export const myKeyOperations = {
  'key-templates.list': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/key-templates',
    tag: adminTag,
    summary: 'List what keys people may make for themselves',
    reply: z.strictObject({ data: z.array(KeyTemplate) }),
  }),
  'key-templates.put': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PUT',
    path: '/key-templates/{name}',
    tag: adminTag,
    summary: 'Set what keys people may make for themselves; keys made from it follow at once',
    params: named,
    body: KeyTemplateSettings.extend({ workspace: WorkspaceName.default('default') }),
    reply: KeyTemplate,
    mayCreate: true,
    hasVersion: true,
  }),
  'key-templates.delete': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'DELETE',
    path: '/key-templates/{name}',
    tag: adminTag,
    summary: 'Delete a template; refused while working keys were made from it',
    params: named,
  }),
  'my-keys.templates': operation({
    role: 'member',
    scope: 'rows',
    method: 'GET',
    path: '/me/key-templates',
    tag,
    summary: 'List the templates that you may make keys from',
    reply: z.strictObject({ data: z.array(KeyTemplate) }),
  }),
  'my-keys.list': operation({
    role: 'member',
    scope: 'rows',
    method: 'GET',
    path: '/me/keys',
    tag,
    summary: 'List your own keys and what they have cost, newest first',
    reply: z.strictObject({ data: z.array(ListedKey) }),
  }),
  'my-keys.create': operation({
    role: 'member',
    scope: 'rows',
    method: 'POST',
    path: '/me/keys',
    tag,
    summary: 'Make a key of your own from a template; its value is shown once',
    body: z.strictObject({
      name: Name,
      template: Name,
      expires_at: Timestamp.nullable().optional().describe('At most what the template allows, which is the default'),
    }),
    reply: WithValue,
    status: 201,
  }),
  'my-keys.rotate': operation({
    role: 'member',
    scope: 'rows',
    method: 'POST',
    path: '/me/keys/{id}/rotate',
    tag,
    summary: 'Give a key of your own a new value, shown once; the old ones expire',
    params: one,
    body: z.strictObject({
      overlap_seconds: z.int().min(0).max(604_800).default(0).describe('How long the old values keep working'),
    }),
    reply: WithValue,
    status: 201,
  }),
  'my-keys.revoke': operation({
    role: 'member',
    scope: 'rows',
    method: 'DELETE',
    path: '/me/keys/{id}',
    tag,
    summary: 'Revoke a key of your own, effective immediately',
    params: one,
  }),
}
