import examples from './examples.json' with { type: 'json' }

interface Example {
  params?: Record<string, string>
  request?: unknown
  answer?: unknown
}

/**
 * Calls of the pages in docs/management as they were made and answered; test/management/record-examples.ts records them
 * again.
 */
const EXAMPLES: Record<string, Example> = examples

/** For a place of the document with a schema; nothing where there is no body. */
export function exampleOf(operation: string, side: 'request' | 'answer'): { example?: unknown } {
  const example = EXAMPLES[operation]?.[side]
  return example === undefined ? {} : { example }
}

export function paramExampleOf(operation: string, field: string): { example?: string } {
  const example = EXAMPLES[operation]?.params?.[field]
  return example === undefined ? {} : { example }
}
