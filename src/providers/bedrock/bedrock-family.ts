import type { Family, Translator, Translators } from '../family.ts'
import { modelsFromWire, modelsTarget } from './catalog.ts'
import { claudeName } from './claude.ts'
import { chat as converse } from './converse/converse.ts'
import { CLASS_HEADER, failureFromWire } from './failure.ts'
import { countTokens } from './invoke/count-tokens.ts'
import { chat, messages } from './invoke/invoke.ts'
import { rerank } from './rerank.ts'
import { CREDENTIALS, problemOf, Settings } from './settings.ts'
import { authorization } from './signing/authorization.ts'

const CONVERSE: Translators = { chat: converse, rerank: rerank as Translator }
const CLAUDE: Translators = { chat, messages, count_tokens: countTokens }

/** AWS Bedrock: Converse for every vendor's models, and for Claude its own format in this service's envelope. */
export const bedrockFamily: Family = {
  conventionName: 'aws.bedrock',
  isAddressKnown: true,
  settings: Settings,
  credentials: CREDENTIALS,
  problemOf,
  authorization,
  translators: CONVERSE,
  translatorsFor: (model) => (claudeName(model) === null ? CONVERSE : CLAUDE),
  // A stream that is broken off is billed in full.
  onCallerLeft: 'drain',
  operationOf: (model) => (/embed/.test(model) ? 'embeddings' : /rerank/.test(model) ? 'rerank' : 'chat'),
  modelsTarget,
  modelsFromWire,
  failureFromWire,
  failureHeaders: [CLASS_HEADER],
  requestIdHeader: 'x-amzn-requestid',
  pins: [],
  isOwnService: () => false,
  baseUrlHint: 'The base URL has no path. Without one the region decides.',
}
