import 'swagger-ui-dist/swagger-ui.css'
import './reference.css'
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js'

interface State {
  hasIn(path: readonly string[]): boolean
}

/** What is served at another address than this page cannot be tried from it. */
const onlyHere = () => (state: State, path: string) => !state.hasIn(['json', 'paths', path, 'servers'])

type Render = (props: object) => unknown
/** Of the renderer's own React. */
interface System {
  React: { createElement(type: Render, props: object): unknown }
}

/** The field for a request's body has no label of its own. */
const labelled =
  (TextArea: Render, { React }: System) =>
  (props: object) =>
    React.createElement(TextArea, { 'aria-label': 'Request body', ...props })

SwaggerUI({
  url: '/openapi.json',
  dom_id: '#reference',
  docExpansion: 'list',
  deepLinking: true,
  filter: true,
  displayRequestDuration: true,
  plugins: [
    {
      statePlugins: { spec: { wrapSelectors: { allowTryItOutFor: onlyHere } } },
      wrapComponents: { TextArea: labelled },
    },
  ],
  defaultModelsExpandDepth: 0,
  // Otherwise it asks a server of its makers whether the document is valid.
  validatorUrl: null,
  // Whoever is signed in to the dashboard tries operations with that session, whose changes need the header.
  requestInterceptor: (request: { headers: Record<string, string> }) => {
    request.headers['x-switchyard-dashboard'] = '1'
    return request
  },
})
