import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Simulator, startSimulator } from '../../simulator/simulator.ts'
import { ADMIN_KEY, KEY } from '../harness.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'
import { startValkey, type ValkeyServer } from '../valkey.ts'
import { type Front, startFront } from './front.ts'
import { type Line, startLine } from './line.ts'
import { type ClusterNode, newNode } from './node.ts'

/** Several gateways as processes, one PostgreSQL, one Valkey, one front that spreads calls over them. */
export interface Cluster {
  folder: string
  nodes: readonly ClusterNode[]
  front: Front
  simulator: Simulator
  postgres: PostgresServer
  /** With an append-only file: kill -9 loses nothing of it. */
  valkey: ValkeyServer
  /** Of the database that all nodes share, past the lines. */
  databaseUrl: string
  /** From each node to PostgreSQL, in the order of the nodes. */
  lines: readonly Line[]
  /** Nodes are killed, not stopped: who wants to see them stop in peace has done it by now. */
  stop(options?: { keepFolder?: boolean }): Promise<void>
}

export interface ClusterOptions {
  nodes: number
  /** Configuration, applied once at the first start of the first node: with thousands of routes it takes a while. */
  config: string
  environment?: Readonly<Record<string, string>>
}

export async function startCluster({ nodes: count, config, environment = {} }: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-cluster-'))
  const configPath = join(folder, 'first.yaml')
  writeFileSync(configPath, config)
  /** What ends the parts that have been started, the newest last. */
  const ends: (() => Promise<unknown>)[] = []
  const stop: Cluster['stop'] = async ({ keepFolder = false } = {}) => {
    for (const end of ends.splice(0).reverse()) await end()
    if (!keepFolder) rmSync(folder, { recursive: true, force: true })
  }
  try {
    return await startParts()
  } catch (error) {
    // What is left running would keep the process of the test from ending.
    await stop()
    throw error
  }

  async function startParts(): Promise<Cluster> {
    const valkey = await startValkey({ appendOnly: true })
    ends.push(() => valkey.stop())
    const postgres = await startPostgres()
    ends.push(() => postgres.stop())
    const simulator = await startSimulator({ keepCalls: Number.MAX_SAFE_INTEGER })
    ends.push(() => simulator.close())
    const databaseUrl = await postgres.createDatabase()
    const lines: Line[] = []
    const nodes: ClusterNode[] = []
    ends.push(() => Promise.all(lines.map((line) => line.close())))
    for (let number = 1; number <= count; number++) {
      const line = await startLine(Number(new URL(databaseUrl).port))
      lines.push(line)
      const own = { DATABASE_URL: throughLine(databaseUrl, line), REDIS_URL: valkey.url }
      const name = `node-${number}`
      mkdirSync(join(folder, name))
      nodes.push(
        await newNode({
          name,
          folder,
          environment: { ...common(simulator), ...own, ...environment },
        }),
      )
    }
    const front = await startFront(nodes)
    ends.push(
      () => front.close(),
      () => Promise.all(nodes.map((node) => node.kill())),
    )
    const [first, ...others] = nodes
    await first?.start({ SWITCHYARD_CONFIG: configPath })
    await Promise.all(others.map((node) => node.start()))
    return { folder, nodes, front, simulator, postgres, valkey, databaseUrl, lines, stop }
  }
}

function common(simulator: Simulator): Record<string, string> {
  return {
    LOG_LEVEL: 'info',
    // A node starts in half the time.
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../../node_modules/.cache/compiled'),
    OVERLOAD_MS: '0',
    STREAMING: 'on',
    SECRETS_KEY: 'one-secrets-key-for-all-nodes',
    GATEWAY_KEY: KEY,
    ADMIN_KEY,
    OPENAI_API_KEY: 'sk-cluster-openai',
    OPENAI_BASE_URL: simulator.openaiUrl,
    OPENAI_SPEAKS: 'chat',
    ANTHROPIC_API_KEY: 'sk-ant-cluster',
    ANTHROPIC_BASE_URL: simulator.anthropicUrl,
  }
}

function throughLine(databaseUrl: string, line: Line): string {
  const url = new URL(databaseUrl)
  url.port = String(line.port)
  // A line that is cut is given up as soon as in production.
  url.search = ''
  return url.href
}
