import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedCall } from '../../simulator/simulator.ts'
import type { Limits } from '../../src/domain/limits.ts'
import { BEDROCK_KEY } from '../calls/bedrock/world.ts'
import { API_KEY } from '../calls/gemini/world.ts'
import { type Cloud, startCloud } from '../calls/vertex/cloud.ts'
import { type Harness, type Row, startHarness } from '../harness.ts'
import { newKey } from '../limits/limited.ts'
import type { Agent, Outing } from './agent.ts'
import { type DeadEnd, startDeadEnd } from './proxy.ts'

/** One way through the gateway: a workspace whose one route leads there. */
export interface Way {
  workspace: string
  provider: string
  /** The model that the provider is asked for. */
  upstream: string
  /** The path that it is asked on. */
  path: string
}

export const TO_ANTHROPIC: Way = {
  workspace: 'to-anthropic',
  provider: 'anthropic',
  upstream: 'claude-yard',
  path: '/v1/messages',
}

/** An OpenAI-like server that knows chat completions only. */
export const TO_CHAT: Way = {
  workspace: 'to-chat',
  provider: 'openai',
  upstream: 'gpt-yard',
  path: '/v1/chat/completions',
}

export const TO_RESPONSES: Way = {
  workspace: 'to-responses',
  provider: 'native',
  upstream: 'gpt-yard',
  path: '/v1/responses',
}

export const TO_GEMINI: Way = {
  workspace: 'to-gemini',
  provider: 'google',
  upstream: 'gemini-3.5-flash-yard',
  path: '/v1beta/models/gemini-3.5-flash-yard:streamGenerateContent',
}

export const TO_BEDROCK: Way = {
  workspace: 'to-bedrock',
  provider: 'aws',
  upstream: 'us.anthropic.claude-yard-v1:0',
  path: '/model/us.anthropic.claude-yard-v1%3A0/invoke-with-response-stream',
}

/** A model that takes hardly any beta. */
export const TO_OLD_BEDROCK: Way = {
  workspace: 'to-old-bedrock',
  provider: 'aws',
  upstream: 'us.anthropic.claude-opus-4-7-yard-v1:0',
  path: '/model/us.anthropic.claude-opus-4-7-yard-v1%3A0/invoke-with-response-stream',
}

/** Behind its cloud the vendor is asked. */
export const TO_VERTEX: Way = {
  workspace: 'to-vertex',
  provider: 'gcp',
  upstream: 'claude-cloud-yard',
  path: '/v1/messages',
}

const WAYS = [TO_ANTHROPIC, TO_CHAT, TO_RESPONSES, TO_GEMINI, TO_BEDROCK, TO_OLD_BEDROCK, TO_VERTEX]

/** Agents know models by their names, and do other things for those that they do not know. */
const ALIASES = ['claude-agent', 'gpt-5.5', 'gpt-6.1-sol']

const configFor = (cloud: Cloud) => `
providers:
  aws: { family: bedrock, base_url: "\${SIMULATED_BEDROCK}", settings: { region: us-east-1 }, api_key: ${BEDROCK_KEY} }
  gcp: { family: vertex, base_url: "${cloud.url}", settings: { project: my-project, location: us-central1 }, credentials: { service_account: '${cloud.serviceAccount()}' } }
  native: { family: openai, base_url: "\${SIMULATED}", api_key: sk-test-native, speaks: [responses] }
  google: { family: gemini, base_url: "\${SIMULATED_GEMINI}", api_key: ${API_KEY} }
workspaces:
${WAYS.map(
  ({ workspace, provider, upstream }) => `  ${workspace}:
    routes:
${ALIASES.map((alias) => `      ${alias}: { chain: [{ provider: ${provider}, model: ${upstream} }] }`).join('\n')}`,
).join('\n')}
registry:
${WAYS.map(
  ({ provider, upstream }) =>
    `  - { provider: ${provider}, model: ${upstream}, input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 32000 }`,
).join('\n')}
`

export interface Yard extends Harness {
  deadEnd: DeadEnd
}

export async function startYard(): Promise<Yard> {
  const behind = { geminiUrl: '', anthropicUrl: '', openaiUrl: '' }
  const cloud = await startCloud(behind)
  const harness = await startHarness({
    config: configFor(cloud),
    simulator: { geminiKey: API_KEY },
    environment: { STREAMING: 'on' },
  })
  Object.assign(behind, harness.simulator)
  const deadEnd = await startDeadEnd()
  return {
    ...harness,
    deadEnd,
    async stop() {
      await harness.stop()
      await cloud.close()
      await deadEnd.close()
    },
  }
}

export interface Report extends Outing {
  work: string
  keyId: string
  /** What the gateway wrote down. */
  rows: Row[]
  /** What the provider was asked. */
  calls: RecordedCall[]
  /** Sends it on with its conversation: its output, and what was written down and asked since. */
  goOn(prompt: string): Promise<Pick<Report, 'code' | 'output' | 'rows' | 'calls'>>
}

export interface Errand {
  limits: Limits
  /** Content of the file that becomes part of every prompt. */
  memory?: string
}

/** Sends an agent out with its own key. */
export async function sendOut(yard: Yard, agent: Agent, alias: string, way: Way, errand: Errand): Promise<Report> {
  const { limits, memory } = errand
  const key = await newKey(yard, limits, way.workspace)
  const home = mkdtempSync(join(yard.folder, 'home-'))
  const work = mkdtempSync(join(yard.folder, 'work-'))
  if (memory !== undefined) writeFileSync(join(work, agent.memory), memory)
  yard.simulator.agent(way.upstream, agent.turns(work, way), agent.follows)
  const connection = {
    url: yard.url,
    key: String(key.headers['authorization']).replace('Bearer ', ''),
    model: alias,
    environment: yard.deadEnd.environment,
  }
  const folders = { home, work }
  let known = 0
  async function reported(outing: () => Promise<Outing>) {
    const from = yard.simulator.calls.length
    const { code, output } = await outing()
    assert.deepEqual(yard.deadEnd.asked, [], 'it asked for nobody but the gateway')
    const rows = (await yard.rows()).filter((row) => row['key_id'] === key.id).slice(known)
    known += rows.length
    const calls = yard.simulator.calls.slice(from).filter(({ method }) => method === 'POST')
    return { code, output, rows, calls }
  }
  const first = await reported(() => agent.run(connection, folders, 'Write the note and read it back.'))
  const { goOn = agent.run } = agent
  return { ...first, work, keyId: key.id, goOn: (prompt) => reported(() => goOn(connection, folders, prompt)) }
}
