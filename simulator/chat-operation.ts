import type { Operation } from './family.ts'
import type { JsonObject } from './json.ts'
import { createRandom, hashText } from './random.ts'
import { type Ask, type PlannedReply, planReply } from './reply.ts'
import type { Account } from './stage.ts'

/** What differs between the vendors' chat paths. */
export interface ChatFormat extends Pick<Required<Operation>, 'path' | 'validate' | 'streaming'> {
  readAsk(body: JsonObject): Ask
  writeReply(reply: PlannedReply, body: JsonObject, account: Account): JsonObject
}

export function chatOperation({ path, validate, readAsk, writeReply, streaming }: ChatFormat): Operation {
  return {
    path,
    validate,
    streaming,
    ask: readAsk,
    lastUserText: (body) => readAsk(body).lastUserText,
    answer(body, tweak, { seed, account, bill }) {
      const ask = readAsk(body)
      const random = createRandom(hashText(`${seed} ${ask.model} ${ask.lastUserText}`))
      const reply = planReply(ask, tweak, random)
      bill?.note(ask.model, ask.lastUserText, reply.usage)
      return writeReply(reply, body, account)
    },
  }
}
