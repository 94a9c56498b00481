import { hash } from 'node:crypto'
import { KEY } from '../harness.ts'
import type { Wire } from './ask.ts'

const sha256 = (text: string) => hash('sha256', text, 'hex')
const KEY_1 = 'sk-exchange-key-0001'
const HASH_1 = sha256(KEY_1)
const KEY_2 = 'sk-exchange-key-0002'
/** In this order: what one makes, the next ones read. */
export const EXCHANGES: [name: string, wire: Wire, status: number, contains: object | string][] = [
  [
    'POST /team/new',
    { method: 'POST', path: '/team/new', body: { team_id: 'search', team_alias: 'Search & Co', max_budget: 100 } },
    200,
    { team_id: 'search', team_alias: 'Search & Co', max_budget: 100, budget_duration: null, models: [], spend: 0 },
  ],
  [
    'an id that is taken',
    { method: 'POST', path: '/team/new', body: { team_id: 'search' } },
    400,
    { error: { type: 'bad_request_error', code: '400' } },
  ],
  [
    'POST /key/generate',
    {
      method: 'POST',
      path: '/key/generate',
      body: {
        ...{ key: KEY_1, key_alias: 'run 42', team_id: 'search', models: ['chat'], max_budget: 2.5, rpm_limit: 60 },
        ...{ budget_duration: '1d', metadata: { owner: 'ada' }, tags: ['ci'], user_id: 'ada', aliases: {} },
        ...{ permissions: {}, send_invite_email: false, something_new: 1 },
      },
    },
    200,
    {
      ...{ key: KEY_1, token: HASH_1, token_id: HASH_1, key_name: 'sk-...0001', key_alias: 'run 42', expires: null },
      ...{ user_id: 'ada', team_id: 'search', models: ['chat'], spend: 0, max_budget: 2.5, budget_duration: '1d' },
      ...{ tpm_limit: null, rpm_limit: 60, max_parallel_requests: null, metadata: { owner: 'ada' }, blocked: false },
      ...{ litellm_budget_table: null, tags: ['ci'] },
    },
  ],
  [
    'an alias that is taken',
    { method: 'POST', path: '/key/generate', body: { key_alias: 'run 42' } },
    400,
    { error: { type: 'bad_request_error', param: 'key_alias', code: '400' } },
  ],
  [
    'an alias that only becomes the same name',
    { method: 'POST', path: '/key/generate', body: { key: KEY_2, key_alias: 'run-42', team_id: 'search' } },
    200,
    { key_alias: 'run-42', team_id: 'search', models: [], user_id: null },
  ],
  [
    'a restriction that nothing would keep',
    { method: 'POST', path: '/key/generate', body: { model_max_budget: { chat: 1 } } },
    400,
    { error: { param: 'model_max_budget', code: '400' } },
  ],
  [
    'the same inside of metadata',
    { method: 'POST', path: '/key/generate', body: { metadata: { guardrails: ['pii'] } } },
    400,
    { error: { param: 'metadata.guardrails', code: '400' } },
  ],
  [
    'a period that is not offered',
    { method: 'POST', path: '/key/generate', body: { max_budget: 1, budget_duration: '5d' } },
    400,
    { error: { param: 'budget_duration' } },
  ],
  [
    'a field of the wrong type',
    { method: 'POST', path: '/key/generate', body: { max_budget: 'much' } },
    422,
    { detail: [{ loc: ['body', 'max_budget'], type: 'custom' }] },
  ],
  ['no object', { method: 'POST', path: '/key/generate', body: '[]' }, 400, { error: { code: '400' } }],
  [
    'GET /key/info by value',
    { method: 'GET', path: `/key/info?key=${KEY_1}` },
    200,
    { key: KEY_1, info: { key_alias: 'run 42', team_id: 'search', max_budget: 2.5, metadata: { owner: 'ada' } } },
  ],
  ['GET /key/info by hash', { method: 'GET', path: `/key/info?key=${HASH_1}` }, 200, { key: HASH_1 }],
  [
    'GET /key/info of itself',
    { method: 'GET', path: '/key/info', key: KEY_1 },
    200,
    { key: HASH_1, info: { team_id: 'search', user_id: 'ada', blocked: false } },
  ],
  [
    'GET /key/info of a key without a team, by itself: the workspace is the team',
    { method: 'GET', path: '/key/info', key: KEY },
    200,
    { info: { team_id: 'default', max_budget: null, user_id: null } },
  ],
  [
    'an unknown key',
    { method: 'GET', path: '/key/info?key=sk-there-is-no-such-key' },
    404,
    { error: { message: 'Key not found in database.', type: 'not_found_error', code: '404' } },
  ],
  [
    'POST /key/update, numbers as text',
    { method: 'POST', path: '/key/update', body: { key: KEY_1, max_budget: '10', tpm_limit: '5000', models: [] } },
    200,
    { key: KEY_1, max_budget: 10, budget_duration: '1d', tpm_limit: 5000, rpm_limit: 60, models: [], tags: ['ci'] },
  ],
  [
    'POST /key/update, null clears',
    { method: 'POST', path: '/key/update', body: { key: KEY_1, rpm_limit: null, tpm_limit: null, metadata: null } },
    200,
    { max_budget: 10, rpm_limit: null, tpm_limit: null, metadata: {} },
  ],
  [
    'POST /key/update to another team',
    { method: 'POST', path: '/key/update', body: { key: KEY_1, team_id: 'default' } },
    400,
    { error: { param: 'team_id' } },
  ],
  ['POST /key/block', { method: 'POST', path: '/key/block', body: { key: KEY_1 } }, 200, { blocked: true }],
  ['a blocked key', { method: 'GET', path: '/key/info', key: KEY_1 }, 403, { error: { type: 'auth_error' } }],
  ['POST /key/unblock', { method: 'POST', path: '/key/unblock', body: { key: HASH_1 } }, 200, { blocked: false }],
  [
    'GET /key/list by alias',
    { method: 'GET', path: '/key/list?key_alias=run%2042' },
    200,
    { keys: [HASH_1], total_count: 1, current_page: 1, total_pages: 1 },
  ],
  ['GET /key/list of nothing', { method: 'GET', path: '/key/list?key_alias=nope' }, 200, { keys: [], total_count: 0 }],
  [
    'GET /key/list in pages, as objects',
    { method: 'GET', path: '/key/list?team_id=search&size=1&page=2&return_full_object=true' },
    200,
    { keys: [{ token: HASH_1, key_alias: 'run 42' }], total_count: 2, current_page: 2, total_pages: 2 },
  ],
  ['GET /key/list by user', { method: 'GET', path: '/key/list?user_id=ada' }, 200, { keys: [HASH_1], total_count: 1 }],
  [
    'GET /key/list, too many',
    { method: 'GET', path: '/key/list?size=101' },
    422,
    { detail: [{ loc: ['query', 'size'] }] },
  ],
  [
    'GET /user/info by the key of the user',
    { method: 'GET', path: '/user/info', key: KEY_1 },
    200,
    { user_id: 'ada', user_info: { user_id: 'ada', spend: 0, user_email: null }, teams: [{ team_id: 'search' }] },
  ],
  ['GET /user/info of another', { method: 'GET', path: '/user/info?user_id=bob', key: KEY_1 }, 403, {}],
  [
    'GET /key/list by a user with characters that patterns know',
    { method: 'GET', path: '/key/list?user_id=a%25' },
    200,
    { keys: [], total_count: 0 },
  ],
  ['GET /user/info without a user', { method: 'GET', path: '/user/info', key: KEY }, 404, {}],
  ['GET /user/info by an admin', { method: 'GET', path: '/user/info?user_id=ada' }, 200, { user_id: 'ada' }],
  [
    'GET /team/info of its own',
    { method: 'GET', path: '/team/info?team_id=search', key: KEY_1 },
    200,
    { team_id: 'search', team_info: { team_id: 'search', max_budget: 100, spend: 0 }, keys: [], team_memberships: [] },
  ],
  ['GET /team/info of another', { method: 'GET', path: '/team/info?team_id=default', key: KEY_1 }, 403, {}],
  ['GET /team/info, unknown', { method: 'GET', path: '/team/info?team_id=nope' }, 404, { error: { code: '404' } }],
  [
    'POST /team/update',
    { method: 'POST', path: '/team/update', body: { team_id: 'search', rpm_limit: 9, metadata: { cost: 'c1' } } },
    200,
    { team_id: 'search', data: { rpm_limit: 9, max_budget: 100, metadata: { cost: 'c1' }, team_alias: 'Search & Co' } },
  ],
  [
    'POST /team/update with models',
    { method: 'POST', path: '/team/update', body: { team_id: 'search', models: ['chat'] } },
    400,
    { error: { param: 'models' } },
  ],
  ['GET /team/list', { method: 'GET', path: '/team/list' }, 200, [{ team_id: 'default' }, { team_id: 'search' }]],
  [
    'GET /v2/team/list',
    { method: 'GET', path: '/v2/team/list?team_alias=Search%20%26%20Co' },
    200,
    { teams: [{ team_id: 'search', team_alias: 'Search & Co' }], total: 1 },
  ],
  [
    'GET /model/info',
    { method: 'GET', path: '/model/info', key: KEY_2 },
    200,
    {
      data: [
        {
          model_name: 'chat',
          litellm_params: { model: 'openai/gpt-sim-echo' },
          model_info: { db_model: false, input_cost_per_token: 1.5e-7, output_cost_per_token: 6e-7 },
        },
      ],
    },
  ],
  ['GET /v1/model/info', { method: 'GET', path: '/v1/model/info', key: KEY }, 200, { data: [{ model_name: 'chat' }] }],
  ['GET /model/info, unknown', { method: 'GET', path: '/model/info?litellm_model_id=x' }, 400, { error: {} }],
  ['POST /model/new', { method: 'POST', path: '/model/new', body: {} }, 501, { error: { code: '501' } }],
  ['POST /model/update', { method: 'POST', path: '/model/update', body: {} }, 501, { error: { code: '501' } }],
  ['POST /model/delete', { method: 'POST', path: '/model/delete', body: {} }, 501, { error: { code: '501' } }],
  [
    'GET /health',
    { method: 'GET', path: '/health' },
    200,
    { healthy_endpoints: [{ model: 'openai/gpt-sim-echo' }], healthy_count: 1, unhealthy_count: 0 },
  ],
  ['GET /health/liveliness', { method: 'GET', path: '/health/liveliness', key: '-' }, 200, "I'm alive!"],
  ['GET /health/liveness', { method: 'GET', path: '/health/liveness', key: '-' }, 200, "I'm alive!"],
  [
    'GET /health/readiness',
    { method: 'GET', path: '/health/readiness', key: '-' },
    200,
    { status: 'healthy', db: 'connected' },
  ],
  ['GET /global/spend', { method: 'GET', path: '/global/spend' }, 200, { spend: 0, max_budget: 0 }],
  [
    'POST /key/delete',
    { method: 'POST', path: '/key/delete', body: { keys: [KEY_1] } },
    200,
    { deleted_keys: [KEY_1] },
  ],
  ['a deleted key', { method: 'GET', path: `/key/info?key=${KEY_1}` }, 404, {}],
  ['deleted again', { method: 'POST', path: '/key/delete', body: { keys: [KEY_1] } }, 404, { error: { code: '404' } }],
  [
    'POST /key/delete by alias',
    { method: 'POST', path: '/key/delete', body: { key_aliases: ['run-42', 'nope'] } },
    200,
    { deleted_keys: ['run-42'] },
  ],
  ['POST /key/delete of nothing', { method: 'POST', path: '/key/delete', body: {} }, 400, { error: { param: 'keys' } }],
  [
    'POST /team/delete',
    { method: 'POST', path: '/team/delete', body: { team_ids: ['search'] } },
    200,
    { deleted_teams: ['search'] },
  ],
  ['a deleted team', { method: 'GET', path: '/team/info?team_id=search' }, 404, {}],
]
