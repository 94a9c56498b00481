import { azure } from '../azure/azure.ts'
import type { Vendor } from '../dialect/vendor.ts'
import { cerebras } from './cerebras.ts'
import { cohere } from './cohere.ts'
import { deepseek } from './deepseek.ts'
import { fireworks } from './fireworks.ts'
import { groq } from './groq.ts'
import { lmstudio, ollama, vllm } from './local-servers.ts'
import { mistral } from './mistral.ts'
import { openrouter } from './openrouter.ts'
import { jina, voyage } from './rerankers.ts'
import { together } from './together.ts'
import { xai } from './xai.ts'

/** By the name of the preset. */
export const VENDORS: ReadonlyMap<string, Vendor> = new Map(
  Object.entries({
    azure,
    cerebras,
    cohere,
    deepseek,
    fireworks,
    groq,
    jina,
    lmstudio,
    mistral,
    ollama,
    openrouter,
    together,
    vllm,
    voyage,
    xai,
  }),
)
