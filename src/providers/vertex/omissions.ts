import type { Omissions } from '../../domain/request/omissions.ts'
import { omittedAtClouds } from '../anthropic/at-clouds.ts'

/**
 * Betas that the cloud refuses (400, `Unexpected value(s) … for the anthropic-beta header`), as its users report them up
 * to November 2026: they are features of the vendor's own service, or need no beta here. What only some models refuse is
 * not in the list.
 */
const REFUSED_BETAS = [
  'adaptive-thinking-2026-01-28',
  'advisor-tool-2026-03-01',
  'code-execution-2025-08-25',
  'fast-mode-2026-02-01',
  'files-api-2025-04-14',
  'fine-grained-tool-streaming-2025-05-14',
  'mcp-client-2025-04-04',
  'mcp-client-2025-11-20',
  'mcp-servers-2025-12-04',
  'oauth-2025-04-20',
  'output-128k-2025-02-19',
  'prompt-caching-2024-07-31',
  'prompt-caching-scope-2026-01-05',
  'redact-thinking-2026-02-12',
  'skills-2025-10-02',
  'structured-outputs-2025-11-13',
  'structured-outputs-2025-12-15',
  'token-efficient-tools-2025-02-19',
  'token-efficient-tools-2026-03-28',
  'web-fetch-2025-09-10',
]

export const CLAUDE_OMISSIONS = omittedAtClouds(REFUSED_BETAS)

/** Where tokens are counted, betas of tools are refused, too. */
export const COUNT_OMISSIONS: Omissions = {
  ...CLAUDE_OMISSIONS,
  values: new Map([...CLAUDE_OMISSIONS.values, ['tool-search-tool-2025-10-19', null], ['web-search-2025-03-05', null]]),
}
