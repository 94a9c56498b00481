const WITHOUT_VERSION = ['/chat/completions', '/embeddings', '/responses']
const WITH_MODEL = ['/chat/completions', '/embeddings']

/** Where LiteLLM also serves an endpoint; `:model` is the model, which wins over that of the body. */
export function litellmPaths(path: string): string[] {
  const bare = path.replace(/^\/v1/, '')
  return [
    ...(WITHOUT_VERSION.includes(bare) ? [bare] : []),
    ...(WITH_MODEL.includes(bare) ? [`/engines/:model${bare}`, `/openai/deployments/:model${bare}`] : []),
  ]
}
