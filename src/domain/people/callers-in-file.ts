import { z } from 'zod'
import { TokenIssuerSettings } from '../tokens/token-issuer.ts'
import { TokenRule } from '../tokens/token-rules.ts'
import { KeyTemplateSettings } from './key-template.ts'

const KeyName = z.string().min(1).max(64)

/** A file knows keys by name: their ids are made when it is applied. */
const RuleDefinition = TokenRule.omit({ key_id: true })
  .extend({
    key: KeyName.optional().describe('Name of a gateway key'),
    workspace: KeyName.optional().describe('Of the key; default `default`'),
    key_id: TokenRule.shape.key_id.optional().describe('In place of `key`'),
  })
  .refine(({ key, key_id: id }) => (key === undefined) !== (id === undefined), 'name the key by `key`, or by `key_id`')

/** A token issuer as `switchyard.yaml` has it. */
export const IssuerDefinition = TokenIssuerSettings.extend({ rules: z.array(RuleDefinition).max(100) })
export type IssuerDefinition = z.infer<typeof IssuerDefinition>

/** A key template as `switchyard.yaml` has it. */
export const TemplateDefinition = KeyTemplateSettings.extend({ workspace: KeyName.default('default') })
