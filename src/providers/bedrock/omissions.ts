import type { RefusedField } from '../../domain/failure.ts'
import { omittedAtClouds } from '../anthropic/at-clouds.ts'
import { refusedBetas, unknownField } from '../anthropic/refused.ts'

/** The body's field for betas (invoke/envelope.ts). */
export const BETA_FIELD = 'anthropic_beta'

/**
 * Betas that the service refuses with every model, as its users report them up to November 2026: they are features of
 * the vendor's own service, or need no beta here.
 */
const REFUSED_BETAS = [
  'advisor-tool-2026-03-01',
  'code-execution-2025-08-25',
  'fast-mode-2026-02-01',
  'files-api-2025-04-14',
  'mcp-client-2025-04-04',
  'mcp-client-2025-11-20',
  'mcp-servers-2025-12-04',
  'oauth-2025-04-20',
  'prompt-caching-scope-2026-01-05',
  'redact-thinking-2026-02-12',
  'skills-2025-10-02',
  'token-efficient-tools-2026-03-28',
  'web-fetch-2025-09-10',
  'web-search-2025-03-05',
]

export const CLAUDE_OMISSIONS = omittedAtClouds(REFUSED_BETAS)

/** The one that every model takes. */
const OLDEST_BETA = 'interleaved-thinking-2025-05-14'
const USUAL_BETAS = [
  OLDEST_BETA,
  'claude-code-20250219',
  'computer-use-2025-01-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'token-efficient-tools-2025-02-19',
  'tool-search-tool-2025-10-19',
]
/** Taken by some models, by most, by all. */
const TAKEN_BETAS = [
  [
    ...USUAL_BETAS,
    'compact-2026-01-12',
    'computer-use-2024-10-22',
    'computer-use-2025-11-24',
    'dangerous-tool-use-2026-09-03',
    'dev-full-thinking-2025-05-14',
    'mid-conversation-output-config-2026-07-01',
    'mid-conversation-tool-changes-2026-07-01',
    'output-128k-2025-02-19',
    'thinking-binding-controls-2026-08-01',
    'thinking-display-updates-2026-08-18',
    'tool-examples-2025-10-29',
  ],
  USUAL_BETAS,
  [OLDEST_BETA],
]

/** The service refuses a list without saying which beta it is about. */
const UNNAMED_BETA = /\binvalid beta flag\b/i

/** What an invalid request should do without; null where the message does not say. */
export function refusedIn(message: string): RefusedField | null {
  const betas = refusedBetas(message, BETA_FIELD)
  if (betas !== null) return betas
  if (UNNAMED_BETA.test(message)) return { name: BETA_FIELD, instead: null, keeps: TAKEN_BETAS }
  return unknownField(message)
}
