import { Page } from '../../components/page.tsx'

export function CatalogPage() {
  return <Page title="Catalog" />
}
