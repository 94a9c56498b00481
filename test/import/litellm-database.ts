import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { pythonWith } from '../python-package.ts'

/** The release that everything about LiteLLM is tested with, and a FastAPI that it starts with. */
const LITELLM = ['litellm[proxy]==1.97.0', 'fastapi==0.136.3']

/** Its Python, or why there is none. */
export const litellmPython = () => pythonWith(...LITELLM)

/** Runs the migrations that LiteLLM publishes, in their order, those before this date (`20251201`). */
export async function migrate(url: string, python: string, before: string): Promise<void> {
  const lib = join(dirname(dirname(python)), 'lib')
  const [version = ''] = readdirSync(lib)
  const folder = join(lib, version, 'site-packages/litellm_proxy_extras/migrations')
  const names = readdirSync(folder)
    .filter((name) => /^\d{14}/.test(name) && name < before)
    .sort()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const name of names) await client.query(readFileSync(join(folder, name, 'migration.sql'), 'utf8'))
    await client.query(
      `create table "_prisma_migrations" (migration_name text, finished_at timestamptz, rolled_back_at timestamptz)`,
    )
    for (const name of names) await client.query('insert into "_prisma_migrations" values ($1, now(), null)', [name])
  } finally {
    await client.end()
  }
}

/** Inserts rows; JSON columns take objects, lists of text take arrays. What this version has no column for is left out. */
export async function insert(url: string, rows: Readonly<Record<string, readonly Record<string, unknown>[]>>) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const [table, list] of Object.entries(rows)) {
      const known = await client.query('select column_name from information_schema.columns where table_name = $1', [
        table,
      ])
      const names = new Set(known.rows.map(({ column_name: name }) => String(name)))
      for (const given of list) {
        const row = Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name)))
        const columns = Object.keys(row).map((name) => `"${name}"`)
        const places = columns.map((_, index) => `$${index + 1}`)
        const text = `insert into "${table}" (${columns.join(', ')}) values (${places.join(', ')})`
        await client.query(text, Object.values(row))
      }
    }
  } finally {
    await client.end()
  }
}

const MADE = `
import json, os, sys
from litellm.proxy._types import hash_token
from litellm.proxy.common_utils.encrypt_decrypt_utils import encrypt_value_helper
asked = json.load(sys.stdin)
print(json.dumps({
  "hashes": {value: hash_token(value) for value in asked["hash"]},
  "sealed": {value: encrypt_value_helper(value, new_encryption_key=asked["salt"]) for value in asked["seal"]},
}))`

/** What LiteLLM's own functions make of these values. */
export function madeByLitellm(
  python: string,
  asked: { hash: string[]; seal: string[]; salt: string },
): { hashes: Record<string, string>; sealed: Record<string, string> } {
  const environment = { ...process.env, LITELLM_LOCAL_MODEL_COST_MAP: 'True' }
  const out = execFileSync(python, ['-c', MADE], { input: JSON.stringify(asked), env: environment, timeout: 600_000 })
  return JSON.parse(out.toString().trim().split('\n').at(-1) ?? '')
}
