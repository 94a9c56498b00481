import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openStore, type Store, type StoreOptions } from '../src/app/open-store.ts'
import { LOG_FIELDS } from '../src/domain/log/fields.ts'
import { BLANK_RECORD, type CloseRecord, type CommitRecord, type OpenRecord } from '../src/request-log/record.ts'
import { startPostgres } from './postgres.ts'

export type EngineName = 'sqlite' | 'postgres'
export const ENGINES: readonly EngineName[] = ['sqlite', 'postgres']

const SILENT = { info() {}, warn() {}, error() {} }

/** Stores for one test file: real ones on either engine, each with its own folder and database. */
export async function testStores() {
  const server = await startPostgres()
  const folders: string[] = []
  const stores = new Set<Store>()
  after(async () => {
    await Promise.all([...stores].map((store) => store.close()))
    await server.stop()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  async function newOptions(engine: EngineName): Promise<StoreOptions> {
    const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-store-'))
    folders.push(dataDir)
    const databaseUrl = engine === 'postgres' ? await server.createDatabase() : null
    return { dataDir, databaseUrl, retentionDays: null, secretsKeys: null, log: SILENT }
  }

  async function open(options: StoreOptions): Promise<Store> {
    const store = await openStore(options)
    stores.add(store)
    const close = store.close
    store.close = async () => {
      stores.delete(store)
      await close()
    }
    return store
  }

  return { server, newOptions, open, openNew: async (engine: EngineName) => open(await newOptions(engine)) }
}

export function openRecord(id: string, change: Partial<OpenRecord> = {}): OpenRecord {
  const known = { workspace: 'default', keyId: 'key-1', startedAt: 1_000, requestedModel: 'fast', route: 'fast' }
  const record = { ...BLANK_RECORD, ...known, id, ...change }
  const names = LOG_FIELDS.filter(({ from }) => from === 'open').map(({ name }) => name as keyof OpenRecord)
  return Object.fromEntries(names.map((name) => [name, record[name]])) as unknown as OpenRecord
}

export function commitRecord(id: string, change: Partial<CommitRecord> = {}): CommitRecord {
  const known = { startedAt: 1_000, provider: 'first', model: 'model-1', fallback: false, firstContentMs: 320 }
  return { id, ...known, priceVersion: 7, costLeastPicodollars: null, holdAdded: null, usage: null, ...change }
}

export function closeRecord(id: string, change: Partial<CloseRecord> = {}): CloseRecord {
  return {
    ...BLANK_RECORD,
    ...openRecord(id),
    finishedAt: 1_500,
    status: 200,
    provider: 'first',
    model: 'model-1',
    finishReason: 'stop',
    costPicodollars: '42',
    priceVersion: 7,
    upstreamMs: 400,
    gatewayMicroseconds: 350,
    requestBytes: 100,
    responseBytes: 200,
    ...change,
  }
}
