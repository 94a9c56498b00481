import type { Provider } from '../../domain/provider.ts'
import type { HttpTarget } from '../../upstream/target.ts'
import type { Door } from '../gemini/door.ts'
import { headersFor, methodWords } from '../gemini/endpoint.ts'
import { placeOf } from './settings.ts'

const PAGE_SIZE = 100

export const CLOUD: Door = {
  name: 'vertex',
  target: (provider, model, method) => publisherTarget(provider, 'google', model, methodWords(method)),
  readsStorage: true,
}

/** A model of a publisher; `method` may have a query. */
export function publisherTarget(provider: Provider, publisher: string, model: string, method: string): HttpTarget {
  const path = `${projectOf(provider)}publishers/${publisher}/models/${segment(model)}:${method}`
  return { url: `${baseOf(provider)}/v1/${path}`, headers: headersFor(provider) }
}

/** The vendor's chat completions, for models of many publishers. */
export function openTarget(provider: Provider): HttpTarget {
  const path = `${projectOf(provider)}endpoints/openapi/chat/completions`
  return { url: `${baseOf(provider)}/v1/${path}`, headers: headersFor(provider) }
}

/** The models of the vendor itself; only the newer version has the list. */
export function modelsTarget(provider: Provider, after: string | null): HttpTarget {
  const page = after === null ? '' : `&pageToken=${encodeURIComponent(after)}`
  const url = `${baseOf(provider)}/v1beta1/publishers/google/models?pageSize=${PAGE_SIZE}${page}`
  return { url, headers: headersFor(provider) }
}

/** An API key brings its own project. */
function projectOf(provider: Provider): string {
  const { project, location } = placeOf(provider)
  return project === null ? '' : `projects/${segment(project)}/locations/${location}/`
}

function baseOf(provider: Provider): string {
  if (provider.baseUrl !== null) return provider.baseUrl.replace(/(?:\/v\d+(?:beta\d*)?)?\/*$/, '')
  const { project, location } = placeOf(provider)
  return `https://${project === null ? GLOBAL_HOST : hostOf(location)}`
}

const GLOBAL_HOST = 'aiplatform.googleapis.com'

/** One region, several (`us`, `eu`), or all of them. */
function hostOf(location: string): string {
  if (location === 'global') return GLOBAL_HOST
  return location.includes('-') ? `${location}-${GLOBAL_HOST}` : `aiplatform.${location}.rep.googleapis.com`
}

/** Versions of a model come after an `@`. */
function segment(name: string): string {
  return encodeURIComponent(name).replaceAll('%40', '@')
}
