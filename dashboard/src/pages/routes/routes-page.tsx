import { Page } from '../../components/page.tsx'

export function RoutesPage() {
  return <Page title="Routes" />
}
