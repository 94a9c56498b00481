import type { z } from 'zod'
import type { FileConfigSchema } from '../../domain/file-config.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Finding } from '../finding.ts'

/** What can be called, as LiteLLM names it; the database half gives keys and teams their share of it. */
export interface MappedRoute {
  /** What callers send. */
  alias: string
  /** `chat`, `embedding`, `responses` */
  mode: string
  accessGroups: string[]
  /** Only this team may use it; null: everyone. */
  teamId: string | null
  modelIds: string[]
  entries: { provider: string; model: string }[]
  /** As the file has it; that of a team is in no workspace of the file. */
  definition: JsonObject
}

/** A variable that the gateway needs at its start. */
export interface NeededVariable {
  name: string
  /** Its value, where it was read; null: only its name is known. Never printed. */
  secret: string | null
  why: string
}

export interface MappedConfig {
  /** What becomes switchyard.yaml: secrets are `${NAME}`, other text is escaped. */
  config: z.input<typeof FileConfigSchema>
  findings: Finding[]
  variables: NeededVariable[]
  /** By alias; of a team's own model with the team's id and a colon before it. */
  routes: Map<string, MappedRoute>
  masterKey: { hash: string; isGuessable: boolean } | null
}
