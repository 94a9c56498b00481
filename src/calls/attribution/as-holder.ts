import type { Attribution } from '../../domain/attribution.ts'
import type { TokenHolder } from '../../domain/tokens/token-rules.ts'

/** What a verified token says goes before what the caller says: a user is proof where it comes from a token. */
export function asHolder(said: Attribution, { user, session, tags }: TokenHolder): Attribution {
  return {
    ...said,
    user: user ?? said.user,
    session: said.session ?? session,
    kind: said.kind ?? (session === null ? null : 'main'),
    tags: { ...said.tags, ...tags },
  }
}
