import type { AnyInput } from '../api-client.ts'
import { type Given, type OptionSpec, type Refinement, text, texts } from '../command.ts'
import { parseDuration } from '../duration.ts'
import {
  LIMIT_OPTIONS,
  WORKSPACE_LIMIT_OPTIONS,
  withKeyLimits,
  withNewLimits,
  withWorkspaceLimits,
} from '../limit-options.ts'
import { readJsonFile } from '../read-input.ts'
import { LOOP_OPTIONS, withNewLoops, withWorkspaceLoops } from './loop-options.ts'
import { RESALE_OPTIONS, withNewResale, withWorkspaceResale } from './resale-options.ts'
import { restore } from './restore-refinement.ts'

const EXPIRES_IN: OptionSpec = { type: 'string', placeholder: 'DURATION', help: 'Expires after, e.g. 90d' }

function withExpiry(given: Given, input: AnyInput): AnyInput {
  const duration = text(given, 'expires-in')
  if (duration === undefined) return input
  const expiresAt = new Date(Date.now() + parseDuration(duration, 'expires-in')).toISOString()
  return { ...input, body: { ...(input.body as object), expires_at: expiresAt } }
}

function withAllowed(given: Given, input: AnyInput): AnyInput {
  const allowed = texts(given, 'allow')
  return allowed.length === 0 ? input : { ...input, body: { ...(input.body as object), allowed_models: allowed } }
}

interface Rotated {
  id: string
  name: string
  value: string
  replaces: { id: string; prefix: string; ends_at: string }[]
}

/** Only the value goes to standard output, so that a script can read it. */
function printValue(reply: { id: string; name: string; value: string }, { output }: Given): void {
  output.note(`Key ${reply.name} (${reply.id}). Its value is shown only now:`)
  output.line(reply.value)
}

export const keyRefinements: Readonly<Record<string, Refinement>> = {
  'workspaces.list': { examples: ['switchyard workspaces list'] },
  'workspaces.create': {
    examples: ['switchyard workspaces create research', 'switchyard workspaces create research --budget 500/month'],
    options: { ...WORKSPACE_LIMIT_OPTIONS, ...RESALE_OPTIONS, ...LOOP_OPTIONS },
    refine: async (given, input) => withNewLoops(given, await withNewResale(given, await withNewLimits(given, input))),
  },
  'workspaces.update': {
    examples: [
      'switchyard workspaces update research --description "what it is for"',
      'switchyard workspaces update research --budget 500/month:soft --max-parallel null',
      'switchyard workspaces update research --streaming true',
      'switchyard workspaces update research --unconfirmed estimate',
      'switchyard workspaces update research --loop same_tool_call=8:stop --loop calls_a_minute=60:slow',
      'switchyard workspaces update research --resale-markup 20 --resale-price fast,input=1,output=4',
    ],
    options: { ...WORKSPACE_LIMIT_OPTIONS, ...RESALE_OPTIONS, ...LOOP_OPTIONS },
    refine: async (given, input) =>
      withWorkspaceLoops(given, await withWorkspaceResale(given, await withWorkspaceLimits(given, input))),
  },
  'workspaces.get': { examples: ['switchyard workspaces get default'] },
  'workspaces.opening-spend': { examples: ['switchyard workspaces opening-spend research --usd 120.50'] },
  'workspaces.guardrail-secret': { examples: ['switchyard workspaces guardrail-secret research'] },
  'workspaces.delete': { examples: ['switchyard workspaces delete research --force true'] },
  'keys.list': {
    examples: ['switchyard keys list', 'switchyard keys list --workspace research --search nightly --json'],
    columns: [
      'id',
      'name',
      'prefix',
      'created_at',
      'expires_at',
      'revoked_at',
      'paused_at',
      'last_used_at',
      'spent_usd',
      'managed_by',
    ],
  },
  'keys.create': {
    examples: [
      'switchyard keys create ci',
      'switchyard keys create ci --expires-in 90d --allow fast --allow "llama*" --workspace research',
      'switchyard keys create ci --rpm 60 --tpm 100000 --max-parallel 4 --budget 50/month',
      'switchyard keys create intern --max-output-tokens 2000 --budget 5/month:fit',
    ],
    options: {
      'expires-in': EXPIRES_IN,
      ...LIMIT_OPTIONS,
      allow: {
        type: 'string',
        multiple: true,
        placeholder: 'MODEL',
        help: 'Allow only this alias, model id or prefix*',
      },
    },
    refine: (given, input) => withNewLimits(given, withExpiry(given, withAllowed(given, input))),
    print: printValue,
  },
  'keys.adopt': {
    examples: ['switchyard keys adopt moved --hash 4acd94c0f81cbf88ee4109f5524186a4b3519603a505345b94d680e5d9f5c53a'],
    options: { 'expires-in': EXPIRES_IN, ...LIMIT_OPTIONS },
    refine: (given, input) => withNewLimits(given, withExpiry(given, input)),
  },
  'keys.adopt-many': {
    examples: ['switchyard keys adopt-many keys.json', 'switchyard keys adopt-many keys.json --apply'],
    positionals: [{ name: 'FILE' }],
    omit: ['dry-run', 'more', 'keys'],
    options: { apply: { type: 'boolean', help: 'Create the keys; without it, only check them' } },
    async refine(given, input) {
      const [file = '-'] = given.positionals
      return { ...input, body: { dry_run: given.values['apply'] !== true, keys: await readJsonFile(file) } }
    },
  },
  'keys.opening-spend': { examples: ['switchyard keys opening-spend KEY_ID --usd 4.20'] },
  'keys.litellm-master': { examples: ['switchyard keys litellm-master KEY_ID'] },
  'keys.get': { examples: ['switchyard keys get KEY_ID'] },
  'keys.update': {
    examples: [
      'switchyard keys update KEY_ID --name ci-2',
      'switchyard keys update KEY_ID --expires-at null',
      'switchyard keys update KEY_ID --budget 50/month --rpm null',
    ],
    options: { 'expires-in': EXPIRES_IN, ...LIMIT_OPTIONS },
    refine: (given, input) => withKeyLimits(given, withExpiry(given, input)),
  },
  'keys.rotate': {
    examples: ['switchyard keys rotate KEY_ID --overlap 24h'],
    options: {
      overlap: { type: 'string', placeholder: 'DURATION', help: 'How long the old values keep working, e.g. 24h' },
    },
    refine(given, input) {
      const overlap = text(given, 'overlap')
      if (overlap === undefined) return input
      const seconds = Math.round(parseDuration(overlap, 'overlap') / 1000)
      return { ...input, body: { ...(input.body as object), overlap_seconds: seconds } }
    },
    print(reply: Rotated, given) {
      printValue(reply, given)
      for (const { prefix, id, ends_at } of reply.replaces) {
        given.output.note(`The old value ${prefix}… (${id}) works until ${ends_at}.`)
      }
    },
  },
  'keys.values': { examples: ['switchyard keys values KEY_ID'] },
  'keys.revoke-value': { examples: ['switchyard keys revoke-value KEY_ID VALUE_ID'] },
  'keys.pause': { examples: ['switchyard keys pause KEY_ID'] },
  'keys.resume': { examples: ['switchyard keys resume KEY_ID'] },
  'keys.revoke': { examples: ['switchyard keys revoke KEY_ID'] },
  'admin-keys.list': { examples: ['switchyard admin-keys list'] },
  'admin-keys.create': {
    examples: [
      'switchyard admin-keys create ann --expires-in 365d',
      'switchyard admin-keys create grafana --role viewer --workspaces research --workspaces default',
    ],
    options: { 'expires-in': EXPIRES_IN },
    refine: withExpiry,
    print: printValue,
  },
  'admin-keys.revoke': { examples: ['switchyard admin-keys revoke KEY_ID'] },
  'sessions.current': { examples: ['switchyard sessions current'] },
  'sessions.list': {
    examples: ['switchyard sessions list'],
    columns: ['id', 'key_name', 'person_name', 'created_at', 'expires_at'],
  },
  'sessions.revoke': { examples: ['switchyard sessions revoke SESSION_ID'] },
  'people.list': {
    examples: ['switchyard people list'],
    columns: ['id', 'email', 'name', 'role', 'workspaces', 'role_from', 'last_seen_at', 'disabled_at'],
  },
  'people.update': {
    examples: [
      'switchyard people update PERSON_ID --role editor --workspaces research',
      'switchyard people update PERSON_ID --disabled true',
    ],
  },
  'people.remove': { examples: ['switchyard people remove PERSON_ID'] },
  'people.end-sessions': { examples: ['switchyard people end-sessions PERSON_ID'] },
  'invites.list': { examples: ['switchyard invites list'] },
  'invites.create': {
    examples: [
      'switchyard invites create --email ana@example.com',
      'switchyard invites create --email ben@example.com --role editor --workspaces research --expires-in 3d',
    ],
    options: { 'expires-in': EXPIRES_IN },
    refine: withExpiry,
  },
  'invites.withdraw': { examples: ['switchyard invites withdraw INVITE_ID'] },
  'audit.list': {
    examples: ['switchyard audit list --limit 20', 'switchyard audit list --resource routes/fast --json'],
    columns: ['at', 'actor_name', 'action', 'workspace', 'resource'],
  },
  'audit.get': { examples: ['switchyard audit get 01m7a2g6603tff8xr3ygndz1xh'] },
  'audit.restore': restore,
  'secrets.rotate': { examples: ['SECRETS_KEY=new,old switchyard serve   # first', 'switchyard secrets rotate'] },
}
