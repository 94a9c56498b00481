import { asPicodollars, exactUsd } from '../../domain/pricing/price.ts'

/** An amount for a sentence: four significant places are enough to decide by, and `saved_usd` has every digit. */
export function usd(amount: bigint): string {
  const text = exactUsd(asPicodollars(amount < 0n ? -amount : amount))
  const shown = /^(?:[1-9]\d*(?:\.\d{1,2})?|0\.0*\d{1,4}|0)/.exec(text)?.[0] ?? text
  return `${shown} USD`
}

const calls = (count: number) => (count === 1 ? '1 call' : `${count.toLocaleString('en')} calls`)

export function cacheUsed(saved: bigint, without: bigint, requests: number): string {
  if (saved < 0n) {
    return `Writing prompts to the cache has cost ${usd(saved)} more than reading them has saved: prompts of ${calls(requests)} change too early, or come too rarely.`
  }
  return `Cached prompts have saved ${usd(saved)}: without the cache ${calls(requests)} would have cost ${usd(without)}.`
}

export function cache(saved: bigint, requests: number): string {
  return `If every prompt of ${calls(requests)} had been read from the provider's cache, they would have cost ${usd(saved)} less. This is the most: the first call with a prompt always pays in full.`
}

export function outputLimit(saved: bigint, limit: number, cut: number, requests: number): string {
  return `A limit of ${limit.toLocaleString('en')} output tokens would have cut ${cut.toLocaleString('en')} of ${requests.toLocaleString('en')} answers and saved ${usd(saved)}.`
}

export function cheaperModel(saved: bigint, model: string, route: string, requests: number): string {
  return `${model} is part of the route "${route}". With the same token counts, ${calls(requests)} would have cost ${usd(saved)} less there, at its current price.`
}

export function batch(saved: bigint, percent: number, requests: number): string {
  return `${calls(requests)} asked for no stream. As batches, at ${percent} % of the price, they would have cost ${usd(saved)} less. This is the most: only calls that can wait for hours qualify, and batches are sent to the provider directly.`
}
