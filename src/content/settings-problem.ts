import type { ContentSettings } from '../domain/content/settings.ts'
import type { Secrets } from '../store/engine/secrets.ts'

/** Why content cannot be stored this way; null: it can. */
export async function contentProblem(
  settings: ContentSettings | null | undefined,
  { contentKeys }: Pick<Secrets, 'contentKeys'>,
): Promise<string | null> {
  if (settings === null || settings === undefined) return null
  if (contentKeys.length === 0) return 'content is stored encrypted with SECRETS_KEY only: set it first'
  if (settings.patterns.length === 0) return null
  // Loaded where it is used: as a rule nobody has patterns.
  const { patternsProblem } = await import('./own-patterns.ts')
  return patternsProblem(settings.patterns)
}
