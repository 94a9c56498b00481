import { z } from 'zod'

const Param = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'a parameter is lower-case letters, digits and "_"')
  .refine((name) => !['model', 'messages', 'input', 'stream'].includes(name), 'this one is always sent')

const Text = z.string().min(1).max(200)

/** How the server of one row differs from the vendor's own service. What is left out is as there, or as its preset says. */
export const Options = z.strictObject({
  auth_header: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'the name of a header field')
    .optional()
    .describe('The header field of the key, in place of `Authorization: Bearer`'),
  path_style: z
    .enum(['openai', 'azure_deployment'])
    .optional()
    .describe('Whether the model is in the body or the path'),
  api_version: z
    .string()
    .regex(/^[\w.-]{1,40}$/)
    .optional()
    .describe('The query parameter `api-version`'),
  drop_params: z.array(Param).max(50).optional().describe('Fields that are left out, and reported'),
  rename_params: z.record(Param, Param).optional().describe('Fields that have another name there'),
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional().describe('The only name of the limit'),
  stream_usage: z.enum(['ask', 'never']).optional().describe('Whether `stream_options` asks for usage'),
  reasoning_field: z
    .enum(['reasoning_content', 'reasoning'])
    .optional()
    .describe('The field of an assistant message that takes its reasoning back'),
  system_role: z.enum(['system', 'developer']).optional().describe('The only name of that role'),
  supports: z
    .strictObject({
      json_schema: z.boolean().optional(),
      images: z.boolean().optional(),
      logprobs: z.boolean().optional(),
      n: z.boolean().optional(),
    })
    .optional()
    .describe('False: a request that needs it goes to the next entry'),
  list_models: z.boolean().optional().describe('Its models are read at the start, as `provider/model`'),
  auth: z.enum(['key', 'entra', 'managed_identity']).optional().describe('How its callers are known'),
  tenant_id: Text.optional(),
  client_id: Text.optional(),
  authority_url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where tokens are asked for'),
  token_scope: Text.optional().describe('What tokens are asked for'),
})
export type Options = z.infer<typeof Options>
