import type { z } from 'zod'
import { GatewayError } from '../domain/errors.ts'
import { mayUse } from '../domain/key.ts'
import { deploymentId } from '../domain/litellm/facts.ts'
import { shiftedDecimal } from '../domain/pricing/lists/exact-decimal.ts'
import type { CatalogItem } from '../management/contract/catalog.ts'
import type { LitellmDeps } from './deps.ts'
import { wrongField } from './errors.ts'
import { exactNumber } from './json.ts'
import type { Asked, Row } from './row.ts'

type Item = z.output<typeof CatalogItem>

/** One for each entry of each route. */
function deployments({ id: alias, chain }: Item) {
  return chain.map((entry) => ({
    model_name: alias,
    litellm_params: { model: `${entry.provider}/${entry.model}` },
    model_info: {
      id: deploymentId(alias, entry),
      db_model: false,
      mode: entry.mode,
      input_cost_per_token: perToken(entry.input_per_mtok),
      output_cost_per_token: perToken(entry.output_per_mtok),
      max_tokens: entry.max_output_tokens,
      max_input_tokens: entry.max_input_tokens ?? entry.context_window,
      max_output_tokens: entry.max_output_tokens,
      supports_vision: entry.capabilities.includes('vision'),
      supports_function_calling: entry.capabilities.includes('tools'),
    },
  }))
}

function perToken(perMtok: string | null): unknown {
  const decimal = perMtok === null ? null : shiftedDecimal(perMtok, -6)
  return decimal === null ? null : exactNumber(decimal)
}

async function routesOf(workspace: string, { perform }: Asked): Promise<Item[]> {
  const items: Item[] = []
  let cursor: string | null = null
  do {
    const page: { data: Item[]; next_cursor: string | null } = await perform('catalog.list', {
      query: { workspace, limit: '500', ...(cursor === null ? {} : { cursor }) },
    })
    items.push(...page.data)
    // Routes come first.
    cursor = page.data.at(-1)?.kind === 'alias' ? page.next_cursor : null
  } while (cursor !== null)
  return items.filter(({ kind }) => kind === 'alias')
}

async function info(asked: Asked, deps: LitellmDeps) {
  const { own, access } = asked.caller
  const names = own === null ? (access.workspaces ?? [...deps.snapshot().workspaces.keys()]) : [own.workspace]
  const items: Item[] = []
  for (const name of names) items.push(...(await routesOf(name, asked)))
  const usable = items.filter(({ id }) => own === null || mayUse(own, id))
  // Workspaces share routes.
  const byId = new Map(usable.flatMap(deployments).map((each) => [each.model_info.id, each]))
  const wanted = asked.query['litellm_model_id']
  if (wanted === undefined) return { data: [...byId.values()] }
  const found = byId.get(wanted)
  if (found === undefined) throw wrongField('litellm_model_id', `there is no model with the id '${wanted}'.`)
  return { data: [found] }
}

async function refuse(): Promise<never> {
  throw new GatewayError(
    'not_implemented',
    'Models are not managed here: change routes and providers in switchyard.yaml or with the management API.',
  )
}

export const MODEL_ROWS: readonly Row[] = [
  { method: 'GET', path: '/model/info', access: 'own', operation: 'catalog.list', handle: info },
  { method: 'GET', path: '/v1/model/info', access: 'own', operation: 'catalog.list', handle: info },
  { method: 'POST', path: '/model/new', access: 'admin', operation: 'routes.put', handle: refuse },
  { method: 'POST', path: '/model/update', access: 'admin', operation: 'routes.put', handle: refuse },
  { method: 'POST', path: '/model/delete', access: 'admin', operation: 'routes.put', handle: refuse },
]
