import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { importOneApi } from '../../src/import/one-api/import-one-api.ts'
import { AdoptedKey } from '../../src/management/contract/keys.ts'
import { cliOf } from '../cli/run-cli.ts'
import { type Json, startHarness } from '../harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-one-api-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const NOW = Date.parse('2026-11-18T13:00:00Z')

/** As one-api and new-api create them. */
const TABLES = `
create table users (id integer primary key, username text, status integer default 1, quota bigint, used_quota bigint);
create table options (key text primary key, value text);
create table tokens (id integer primary key, user_id integer, key char(48), status integer default 1, name text,
  expired_time bigint default -1, remain_quota bigint default 0, unlimited_quota numeric default false,
  models text, subnet text default '', deleted_at datetime);
create table channels (id integer primary key, type integer, key text, status integer default 1, name text,
  weight integer default 0, base_url text default '', models text, model_mapping text default '', priority bigint default 0);
insert into users values (1, 'root', 1, 50000000, 0), (2, 'Ada', 1, 1000000, 5), (3, 'eve', 2, 99, 0);
insert into tokens (id, user_id, key, name, unlimited_quota, models) values (1, 1, 'aaaaaaaaaaaaaaaa', 'all', true, '');
insert into tokens (id, user_id, key, name, remain_quota, models, subnet, expired_time)
  values (2, 2, 'bbbbbbbbbbbbbbbb', 'one', 750000, 'chat,gpt-4o', '10.0.0.0/8', 1830000000);
insert into tokens (id, user_id, key, name, remain_quota) values (3, 2, 'cccccccccccccccc', 'one', 0);
insert into tokens (id, user_id, key, name, expired_time) values (4, 2, 'dddddddddddddddd', 'old', 1000000000);
insert into tokens (id, user_id, key, name, unlimited_quota) values (5, 3, 'eeeeeeeeeeeeeeee', 'off', true);
insert into tokens (id, user_id, key, name, deleted_at) values (6, 1, 'ffffffffffffffff', 'gone', '2026-01-01');
insert into channels (id, type, key, name, models, priority, weight) values (1, 1, 'sk-secret-one', 'main', 'gpt-4o,chat', 10, 3);
insert into channels (id, type, key, name, models, model_mapping, priority, weight, base_url)
  values (2, 8, 'sk-secret-two' || char(10) || 'sk-secret-three', 'second', 'gpt-4o', '{"gpt-4o":"my-gpt"}', 10, 1, 'https://llm.example');
insert into channels (id, type, key, name, models) values (3, 14, 'sk-ant', 'claude', 'chat');
insert into channels (id, type, key, name, models) values (4, 36, 'x', 'songs', 'suno');
insert into channels (id, type, key, name, models, status) values (5, 1, 'x', 'off', 'gpt-4o', 2);
`

function database(text: string): string {
  const path = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 8)}.db`)
  const file = new DatabaseSync(path)
  file.exec(text)
  file.close()
  return path
}

describe('a one-api database', () => {
  const { config, variables, findings, workspaces, keys } = importOneApi(database(TABLES), { taken: ['ada'], now: NOW })

  test('users become workspaces with what is left of their quota', () => {
    assert.deepEqual(
      workspaces.map(({ name, limits }) => [name, limits?.budget?.usd]),
      [
        ['root', '100'],
        ['Ada-2', '2'],
        ['eve', '0.000198'],
      ],
    )
  })

  test('tokens become keys that work with "sk-" before the stored value', () => {
    for (const key of keys) AdoptedKey.parse(key)
    const hash = createHash('sha256').update('sk-bbbbbbbbbbbbbbbb').digest('hex')
    const budget = { usd: '1.5', per: 'total', mode: 'hard', when_tight: 'fit' }
    assert.deepEqual(keys[1], {
      workspace: 'Ada-2',
      name: 'one',
      hash,
      prefix: 'sk-bbbbbbbbb',
      expires_at: '2027-12-28T13:20:00.000Z',
      allowed_models: ['chat', 'gpt-4o'],
      limits: { budget },
    })
    assert.deepEqual(
      keys.map(({ workspace, paused }) => [workspace, paused === true]),
      [
        ['root', false],
        ['Ada-2', false],
        ['Ada-2', true],
        ['eve', true],
      ],
    )
  })

  test('channels become providers, models become routes by priority and weight', () => {
    const { routes } = config.workspaces?.['default'] ?? {}
    assert.deepEqual(Object.keys(config.providers ?? {}), ['channel-1', 'channel-2', 'channel-3'])
    assert.deepEqual(config.providers?.['channel-2'], {
      family: 'openai',
      base_url: 'https://llm.example/v1',
      api_key: '${ONE_API_CHANNEL_2_API_KEY}',
    })
    assert.deepEqual(routes?.['gpt-4o']?.chain, [
      {
        balance: 'weighted',
        members: [
          { provider: 'channel-1', model: 'gpt-4o', weight: 3 },
          { provider: 'channel-2', model: 'my-gpt', weight: 1 },
        ],
      },
    ])
    assert.deepEqual(routes?.['chat']?.chain, [
      { provider: 'channel-1', model: 'chat' },
      { provider: 'channel-3', model: 'chat' },
    ])
    assert.equal(variables[1]?.secret, 'sk-secret-two')
  })

  test('the report says what is different, and no secret', () => {
    const said = findings.map(({ status, direction, path }) => `${path}: ${status} ${direction}`)
    for (const expected of ['subnet: unsupported looser', 'songs: unsupported same', 'second: manual same'])
      assert.ok(said.includes(expected), `${expected}\n${said.join('\n')}`)
    assert.doesNotMatch(JSON.stringify([findings, config, keys]), /secret|aaaaaaaaaa/)
  })

  test('the command applies it: a token of one-api is a key here', async () => {
    const harness = await startHarness()
    try {
      const path = database(
        `${TABLES} update channels set base_url = '${harness.simulator.openaiUrl}', models = 'gpt-sim-echo';`,
      )
      const cli = cliOf(() => harness.url)
      const run = (more: string) => cli(`import one-api ${path} --accept looser ${more}`, { folder: harness.folder })
      assert.equal((await run('')).code, 3)
      const { code, stderr, stdout } = await run('--apply --yes')
      assert.equal(code, 0, stderr)
      assert.doesNotMatch(stdout + stderr, /sk-secret|aaaaaaaaaa/)
      const bearer = { authorization: 'Bearer sk-aaaaaaaaaaaaaaaa' }
      assert.deepEqual(
        (await harness.get('/v1/models', bearer)).json.data.map(({ id }: Json) => id),
        ['gpt-sim-echo'],
      )
      assert.match((await run('--apply --yes')).stderr, /Keys: 0 to create, 0 to update, 4 up to date\./)
    } finally {
      await harness.stop()
    }
  })

  test('another file is refused', () => {
    writeFileSync(join(folder, 'text'), 'not a database, but long enough to look at')
    assert.throws(() => importOneApi(join(folder, 'text'), { taken: [], now: NOW }), /not a SQLite database/)
    assert.throws(() => importOneApi(database('create table x (id)'), { taken: [], now: NOW }), /no tables "tokens"/)
  })
})
