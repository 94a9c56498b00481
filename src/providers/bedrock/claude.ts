const CLAUDE = /(?:^|[./])anthropic\.(claude-[a-z0-9.-]+?)(?:-v\d+)?(?::\d+)*(?::\d+k)?$/

/**
 * The vendor's own name of a model: `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, or an ARN that ends in it. Null:
 * another vendor's, or a name that does not show it.
 */
export function claudeName(model: string): string | null {
  return CLAUDE.exec(model)?.[1] ?? null
}
