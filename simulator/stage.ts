import type { ScriptedAnswer } from './answer.ts'
import { type Bill, createBill } from './bill.ts'
import { type CallLog, createCallLog } from './call-log.ts'
import type { PromptCache } from './prompt-cache.ts'
import { createRandom, hashText, type Random } from './random.ts'
import type { Tweak } from './reply.ts'
import { createStreamDesk, type StreamDesk } from './stream/desk.ts'

/** The same for every answer, or drawn for each; `model` is null for what asks no model. */
export type Latency = number | ((model: string | null) => number)

/** How streamed answers of a model are paced: until the first event, and between two. */
export type Pace = (model: string) => { firstMs: number; gapMs: number }

/** What the account of the key chooses where a request leaves it open. */
export interface Account {
  serviceTier: string
  inferenceGeo: string
  /** A request for another geography is refused. */
  isGeoFixed: boolean
}

const USUAL_ACCOUNT: Account = { serviceTier: 'default', inferenceGeo: 'global', isGeoFixed: false }

/** The task of an agent as the model plays it. */
export interface AgentScript {
  turns: readonly Tweak[]
  /** The next turn by the results that the conversation shows, or one by one: a summary takes the results away. */
  follows: 'results' | 'calls'
  /** Turns that were played. */
  played: number
}

/** What all servers share and a test can change while they run. */
export interface Stage {
  log: CallLog
  bill: Bill
  streams: StreamDesk
  latencyMs(model: string | null): number
  /** Null: a stream is delayed like a whole answer, and then sent at once. */
  pace: Pace | null
  seed: number
  account: Account
  setAccount(account: Partial<Account>): void
  /** Null: cached tokens are those of scenarios and scripts alone. */
  prompts: PromptCache | null
  /** Families whose model list answers 503. */
  modelsDown: Set<string>
  script(model: string, answers: (ScriptedAnswer | undefined)[]): void
  nextScripted(model: string): ScriptedAnswer | undefined
  agent(model: string, turns: readonly Tweak[], follows?: AgentScript['follows']): void
  agentScript(model: string): AgentScript | undefined
  /** One seeded sequence per model id, so that parallel calls to other models do not disturb it. */
  randomFor(model: string): Random
  isFirstCall(model: string): boolean
  hold(): void
  release(): void
  /** Resolves at once unless held. */
  gate(): Promise<void>
  reset(): void
}

export function createStage(options: {
  seed: number
  latencyMs: Latency
  keepCalls: number
  pace?: Pace | undefined
}): Stage {
  const { latencyMs } = options
  const log = createCallLog(options.keepCalls)
  const bill = createBill()
  const streams = createStreamDesk()
  const scripts = new Map<string, (ScriptedAnswer | undefined)[]>()
  const agents = new Map<string, AgentScript>()
  const randoms = new Map<string, Random>()
  const seen = new Set<string>()
  let held: PromiseWithResolvers<void> | null = null
  return {
    log,
    bill,
    streams,
    account: { ...USUAL_ACCOUNT },
    setAccount(account) {
      Object.assign(this.account, USUAL_ACCOUNT, account)
    },
    latencyMs: typeof latencyMs === 'number' ? () => latencyMs : latencyMs,
    pace: options.pace ?? null,
    seed: options.seed,
    prompts: null,
    modelsDown: new Set(),
    script: (model, answers) => void scripts.set(model, [...(scripts.get(model) ?? []), ...answers]),
    agent: (model, turns, follows = 'results') => void agents.set(model, { turns, follows, played: 0 }),
    agentScript: (model) => agents.get(model),
    nextScripted: (model) => scripts.get(model)?.shift(),
    randomFor(model) {
      const random = randoms.get(model) ?? createRandom(hashText(`${options.seed} ${model}`))
      randoms.set(model, random)
      return random
    },
    isFirstCall(model) {
      const first = !seen.has(model)
      seen.add(model)
      return first
    },
    hold() {
      held ??= Promise.withResolvers<void>()
    },
    release() {
      held?.resolve()
      held = null
    },
    gate: () => held?.promise ?? Promise.resolve(),
    reset() {
      log.clear()
      bill.clear()
      streams.clear()
      scripts.clear()
      agents.clear()
      randoms.clear()
      seen.clear()
    },
  }
}
