/** Where nearly all clients look. */
export const USUAL_PLACE = '/v1beta/models'

/** Where the contract has the list of models. */
export const CONTRACT_PLACE = '/v1/models'

/** Where clients look for the models of this format: their version can be chosen, and some say whose models they are. */
const VERSIONS = ['/v1beta', '/v1alpha', '/v1']
const OF_CLOUD = ['/v1beta1', '/v1']

/** Before the model, or where the list is. */
export const MODEL_PLACES: readonly string[] = [
  ...VERSIONS.map((version) => `${version}/models`),
  ...OF_CLOUD.flatMap((version) => [
    `${version}/publishers/google/models`,
    `${version}/projects/:project/locations/:location/publishers/google/models`,
  ]),
]

/** Whatever else such clients ask for. */
export const OTHER_PLACES: readonly string[] = ['/v1beta/*', '/v1alpha/*', '/v1beta1/*', '/upload/*']
