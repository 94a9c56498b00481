import { CALL_KINDS, type CallKind } from '../domain/attribution.ts'
import type { WithHeaders } from './endpoint.ts'

/** The headers in which one agent names its calls. The agent whose session header is there first counts. */
export interface AgentHeaders {
  sentBy: string
  session: string
  /** Absent, or the same as the session: the main agent. */
  agent?: string
  parent?: string
  /** Each agent of these has a session of its own, and names the one that started it. */
  parentSession?: string
  project?: string
  kind?(call: WithHeaders): CallKind | null
}

/** Of the values that agents send; others say nothing. */
const KINDS: Readonly<Record<string, CallKind>> = {
  ...Object.fromEntries(CALL_KINDS.map((kind) => [kind, kind])),
  // Claude Code, where CLAUDE_CODE_GATEWAY_HINT_HEADERS is set.
  workflow: 'subagent',
  side_reply: 'auxiliary',
  // Codex; `turn` is what any of its agents does.
  memory: 'auxiliary',
  memory_consolidation: 'auxiliary',
  compact: 'compaction',
  collab_spawn: 'subagent',
  review: 'subagent',
}

export const kindOf = (value: string | undefined): CallKind | null =>
  value !== undefined && Object.hasOwn(KINDS, value) ? (KINDS[value] ?? null) : null

/** This header also contains paths and addresses of repositories: nothing else of it is read. */
function codexKind(call: WithHeaders): CallKind | null {
  const kind = /"request_kind":\s*"([a-z_]{1,32})"/.exec(call.header('x-codex-turn-metadata') ?? '')?.[1]
  return kindOf(kind) ?? kindOf(call.header('x-openai-subagent'))
}

const CODEX = { agent: 'thread-id', parent: 'x-codex-parent-thread-id', kind: codexKind }

export const AGENT_HEADERS: readonly AgentHeaders[] = [
  {
    sentBy: 'Claude Code',
    session: 'x-claude-code-session-id',
    agent: 'x-claude-code-agent-id',
    parent: 'x-claude-code-parent-agent-id',
    kind: (call) => kindOf(call.header('x-claude-code-request-class')),
  },
  { sentBy: 'Codex', session: 'session-id', ...CODEX },
  { sentBy: 'Codex, earlier versions', session: 'session_id', ...CODEX },
  {
    sentBy: 'OpenCode, other agents and proxies',
    session: 'x-session-id',
    parentSession: 'x-parent-session-id',
    project: 'x-opencode-project',
  },
  { sentBy: 'clients of NVIDIA Dynamo', session: 'x-dynamo-session-id', parentSession: 'x-dynamo-parent-session-id' },
]
