import type { Provider } from '../../domain/provider.ts'
import type { HttpTarget } from '../../upstream/target.ts'

/** What is asked of a model, at the end of its path. */
export type Method = 'generateContent' | 'streamGenerateContent' | 'countTokens' | 'batchEmbedContents' | 'embedContent'

/** The same models are reached through several services, which differ in little but their addresses. */
export interface Door {
  /** Signatures of thoughts are valid at the service that made them. */
  name: string
  target(provider: Provider, model: string, method: Method): HttpTarget
  /** It reads `gs://` addresses itself. */
  readsStorage: boolean
}
