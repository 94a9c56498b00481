type Some = readonly [string, ...string[]]

/** Its name, and the agent that started it unless that is the main one. */
type Agent = readonly [name: string, parent?: string]

/** Who calls the gateway, how often and for what. The history and the live traffic use the same table. */
export interface Application {
  /** The name of its key. */
  key: string
  workspace: string
  /** Calls on a working day in the middle of the month. */
  perDay: number
  /** When it calls. */
  rhythm: 'people' | 'office' | 'night' | 'steady'
  /** Aliases and direct ids, each with its weight. */
  models: readonly (readonly [model: string, weight: number])[]
  /** Medians, in tokens. */
  prompt: number
  answer: number
  /** How much of a long enough prompt comes from the provider's cache, and how often. */
  cached: number
  /** It asks for streams. */
  streams?: boolean
  /** Which format it speaks; else chat. */
  endpoint?: 'messages'
  /** The people it calls for, as it names them. */
  users?: Some
  /** It names sessions, and how long one lasts. */
  sessionMinutes?: number
  /** Its sub-agents. */
  agents?: readonly [Agent, ...Agent[]]
  /** What else it says of a call. */
  tags?: Readonly<Record<string, Some>>
}

const CUSTOMERS: Some = ['c-1042', 'c-1187', 'c-2003', 'c-2290', 'c-3318', 'c-3746', 'c-4051', 'c-4480', 'c-5127']
const ENGINEERS: Some = ['anna', 'ben', 'chiara']

const inDefault = { workspace: 'default', cached: 0.3 } as const

export const APPLICATIONS: readonly Application[] = [
  {
    ...{ ...inDefault, key: 'web-app', perDay: 275, rhythm: 'people', prompt: 1400, answer: 320, cached: 0.6 },
    ...{ users: CUSTOMERS, tags: { feature: ['search', 'summary', 'draft'] } },
    models: [
      ['fast', 74],
      ['smart', 20],
      ['gpt-6-luna', 6],
    ],
  },
  {
    ...{ ...inDefault, key: 'mobile', perDay: 150, rhythm: 'people', prompt: 800, answer: 180 },
    models: [
      ['fast', 78],
      ['claude-haiku-5-5', 22],
    ],
  },
  {
    ...{ ...inDefault, key: 'support-bot', perDay: 175, rhythm: 'people', prompt: 3200, answer: 260, cached: 0.75 },
    ...{ users: CUSTOMERS, sessionMinutes: 720 },
    models: [
      ['support', 88],
      ['fast', 12],
    ],
  },
  {
    ...{ ...inDefault, key: 'data-pipeline', perDay: 190, rhythm: 'night', prompt: 2600, answer: 220 },
    models: [
      ['extract', 62],
      ['gpt-5.4-nano', 22],
      ['local', 16],
    ],
  },
  {
    ...{ ...inDefault, key: 'ci', perDay: 65, rhythm: 'office', prompt: 9000, answer: 550, cached: 0.5 },
    ...{ sessionMinutes: 90, tags: { repository: ['shop', 'billing', 'website'] } },
    models: [
      ['code-review', 82],
      ['claude-sonnet-5-5', 18],
    ],
  },
  {
    ...{ ...inDefault, key: 'evals', perDay: 42, rhythm: 'steady', prompt: 2400, answer: 480 },
    models: [
      ['smart', 46],
      ['gpt-6.1-sol', 30],
      ['claude-opus-5-5', 24],
    ],
  },
  {
    ...{ ...inDefault, key: 'contractor', perDay: 30, rhythm: 'office', prompt: 2600, answer: 300 },
    models: [
      ['code-review', 52],
      ['fast', 30],
      ['local', 18],
    ],
  },
  {
    ...{ ...inDefault, key: 'prototype', perDay: 40, rhythm: 'office', prompt: 700, answer: 240 },
    models: [
      ['gpt-4o-mini', 80],
      ['fast', 20],
    ],
  },
  {
    ...{ ...inDefault, key: 'hackathon', perDay: 100, rhythm: 'people', prompt: 1500, answer: 420 },
    models: [
      ['smart', 35],
      ['claude-sonnet-5-5', 35],
      ['gpt-6.1-terra', 30],
    ],
  },
  {
    ...{ ...inDefault, key: 'GATEWAY_KEY', perDay: 15, rhythm: 'office', prompt: 120, answer: 140, cached: 0 },
    models: [
      ['resilient', 60],
      ['fast', 22],
      ['local', 12],
      ['claude-fable-5-2', 6],
    ],
  },
  {
    ...{ key: 'pages', workspace: 'chat', perDay: 45, rhythm: 'people', prompt: 900, answer: 300, cached: 0.4 },
    ...{ streams: true, users: CUSTOMERS, sessionMinutes: 1440 },
    models: [
      ['fast', 70],
      ['smart', 30],
    ],
  },
  {
    ...{ key: 'agents', workspace: 'chat', perDay: 60, rhythm: 'office', prompt: 16_000, answer: 450, cached: 0.85 },
    ...{ streams: true, endpoint: 'messages', users: ENGINEERS, sessionMinutes: 1440 },
    agents: [['explore'], ['tests'], ['tests-flaky', 'tests'], ['review']],
    models: [
      ['smart', 65],
      ['fast', 35],
    ],
  },
  {
    ...{
      key: 'notebooks',
      workspace: 'research',
      perDay: 75,
      rhythm: 'office',
      prompt: 4200,
      answer: 800,
      cached: 0.4,
    },
    models: [
      ['judge', 48],
      ['deep', 34],
      ['claude-fable-5-1', 18],
    ],
  },
]
