import type { JsonObject } from '../../domain/request/call-request.ts'
import { type Balance, DEFAULT_RETRIES } from '../../domain/route.ts'
import type { Deployment } from './deployment.ts'
import { approximate, exact, manual, type Notes } from './notes.ts'
import { oddWeight, sharedBy, wholeWeights } from './weights.ts'

/** Settings of the router that every route has. */
export interface Routing {
  balance: Balance | 'cheapest'
  isSticky: boolean
  retries: number
  entry: JsonObject
}

export interface ChainContext {
  routing: Routing
  notes: Notes
  nameOf(deployment: Deployment): string
  /** USD per million tokens in and out; null: unknown. */
  priceOf(deployment: Deployment): number | null
}

interface Member {
  deployment: Deployment
  share: number
}

type Place = JsonObject & { members?: JsonObject[] }

const MOST_MEMBERS = 10

/** The places of one model group of LiteLLM, in their order. */
export function placesOf(group: readonly Deployment[], context: ChainContext): Place[] {
  return inOrder(group, context).map((members) => placeOf(members, context))
}

/** Those without an order come last: LiteLLM uses them only while all others rest. */
function inOrder(group: readonly Deployment[], { routing, priceOf, notes }: ChainContext): Deployment[][] {
  if (routing.balance === 'cheapest') return byPrice(group, priceOf, notes)
  const orders = [...new Set(group.flatMap(({ order }) => order ?? []))].sort((a, b) => a - b)
  const last = group.filter(({ order }) => order === null)
  if (orders.length > 0) {
    for (const { place } of last)
      notes.add(
        place,
        'model_name',
        approximate('last place of the chain', 'it has no order: used when all others fail'),
      )
  }
  return [...orders.map((order) => group.filter((each) => each.order === order)), last].filter(
    ({ length }) => length > 0,
  )
}

function byPrice(group: readonly Deployment[], priceOf: ChainContext['priceOf'], notes: Notes): Deployment[][] {
  for (const each of group) {
    if (group.length > 1 && priceOf(each) === null)
      notes.add(each.place, 'model_name', manual('no price is known for its place in the chain: it comes last'))
  }
  const price = (each: Deployment) => priceOf(each) ?? Number.POSITIVE_INFINITY
  return group.toSorted((a, b) => price(a) - price(b) || 0).map((each) => [each])
}

function placeOf(members: readonly Deployment[], context: ChainContext): Place {
  const { routing, notes } = context
  for (const deployment of members) {
    noteEntry(deployment, context)
    const odd = deployment.weight === null ? null : oddWeight(deployment.weight, members)
    if (odd !== null) notes.add(deployment.place, 'litellm_params.weight', odd)
  }
  const share = sharedBy(members)
  const merged = withoutTwins(
    members.map((deployment) => ({ deployment, share: share === null ? 1 : Math.max(0, deployment[share] ?? 0) })),
    context,
  )
  const kept = merged.length <= MOST_MEMBERS ? merged : mostShared(merged, notes)
  const [first] = kept
  if (first !== undefined && kept.length === 1) return entryOf(first.deployment, 1, context)
  const { weights, isScaled } = wholeWeights(kept.map((member) => member.share))
  if (isScaled && share !== null) {
    for (const { deployment } of kept)
      notes.add(
        deployment.place,
        `litellm_params.${share}`,
        approximate('weight', 'scaled to whole numbers up to 1000'),
      )
  }
  const equal = weights.every((weight) => weight === 1)
  return {
    balance: routing.balance === 'cheapest' ? 'weighted' : routing.balance,
    ...(!routing.isSticky && { sticky: false }),
    members: kept.map(({ deployment }, index) => ({
      ...entryOf(deployment, kept.length, context),
      ...(!equal && { weight: weights[index] }),
    })),
  }
}

/** Two deployments of one model at one provider are one member here. */
function withoutTwins(members: readonly Member[], { nameOf, notes }: ChainContext): Member[] {
  const kept = new Map<string, Member>()
  for (const member of members) {
    const { deployment, share } = member
    const key = JSON.stringify([nameOf(deployment), deployment.model])
    const twin = kept.get(key)
    if (twin === undefined) kept.set(key, { ...member })
    else {
      twin.share += share
      const message = `the same as ${twin.deployment.place.path}: one member, weights added`
      notes.add(
        deployment.place,
        'litellm_params.model',
        approximate(`entry ${nameOf(deployment)}/${deployment.model}`, message),
      )
    }
  }
  return [...kept.values()]
}

function mostShared(members: readonly Member[], notes: Notes): Member[] {
  const kept = new Set(members.toSorted((a, b) => b.share - a.share).slice(0, MOST_MEMBERS))
  for (const member of members) {
    const verdict = approximate(null, `left out: a group has at most ${MOST_MEMBERS} members`, 'tighter')
    if (!kept.has(member)) notes.add(member.deployment.place, 'model_name', verdict)
  }
  return members.filter((member) => kept.has(member))
}

function noteEntry(deployment: Deployment, { nameOf, notes }: ChainContext): void {
  const { place, model, difference, alias } = deployment
  const target = `entry ${nameOf(deployment)}/${model}`
  notes.add(place, 'model_name', exact(`route "${alias}"`))
  notes.add(place, 'litellm_params.model', difference === null ? exact(target) : approximate(target, difference))
}

function entryOf(deployment: Deployment, members: number, { routing, nameOf }: ChainContext): JsonObject {
  const attempts = (deployment.retries ?? routing.retries) + 1
  const retries = Math.max(0, Math.ceil(attempts / members) - 1)
  return {
    provider: nameOf(deployment),
    model: deployment.model,
    ...routing.entry,
    ...deployment.entry,
    ...(retries !== DEFAULT_RETRIES && { retries }),
  }
}
