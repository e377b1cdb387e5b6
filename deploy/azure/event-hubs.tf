# An Event Hubs namespace for the health records, and two rules: agents may send, the consumer may
# listen, and send where it carries the agent and reports its own health. How many throughput units
# and partitions your fleet needs is what `health-consumer capacity` says. Not run.
#
#   az login && export ARM_SUBSCRIPTION_ID=$(az account show --query id -o tsv)
#   terraform init && terraform apply -var resource_group=... -var namespace=...
#   terraform output -raw send_connection_string     # for the agents' secret
#   terraform output -raw listen_connection_string   # for the consumer's secret

terraform {
  required_version = ">= 1.5"
  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = "~> 4.38"
    }
  }
}

provider "azurerm" {
  features {}
}

variable "resource_group" {
  description = "The resource group, which must exist."
  type        = string
}

variable "namespace" {
  description = "Name of the namespace, unique in Azure: <name>.servicebus.windows.net."
  type        = string
}

variable "topic" {
  description = "The event hub: spark.streampulse.topic of agents and consumer."
  type        = string
  default     = "streaming-health"
}

variable "partitions" {
  description = "They can't be changed later in the Standard tier, which has at most 32."
  type        = number
  default     = 8
}

variable "throughput_units" {
  description = "1 MB/s or 1,000 records/s in, twice the bytes out, for each."
  type        = number
  default     = 1
}

variable "consumer_reports_itself" {
  description = "Whether the consumer has the agent's jar beside it, and so sends too."
  type        = bool
  default     = true
}

data "azurerm_resource_group" "this" {
  name = var.resource_group
}

resource "azurerm_eventhub_namespace" "this" {
  name                = var.namespace
  resource_group_name = data.azurerm_resource_group.this.name
  location            = data.azurerm_resource_group.this.location
  # Basic has no Kafka endpoint.
  sku                 = "Standard"
  capacity            = var.throughput_units
  minimum_tls_version = "1.2"
}

resource "azurerm_eventhub" "health" {
  name            = var.topic
  namespace_id    = azurerm_eventhub_namespace.this.id
  partition_count = var.partitions

  retention_description {
    cleanup_policy          = "Delete"
    retention_time_in_hours = 168
  }
}

resource "azurerm_eventhub_authorization_rule" "send" {
  name                = "streampulse-agents"
  namespace_name      = azurerm_eventhub_namespace.this.name
  eventhub_name       = azurerm_eventhub.health.name
  resource_group_name = data.azurerm_resource_group.this.name
  send                = true
  listen              = false
  manage              = false
}

resource "azurerm_eventhub_authorization_rule" "listen" {
  name                = "streampulse-consumer"
  namespace_name      = azurerm_eventhub_namespace.this.name
  eventhub_name       = azurerm_eventhub.health.name
  resource_group_name = data.azurerm_resource_group.this.name
  send                = var.consumer_reports_itself
  listen              = true
  manage              = false
}

output "send_connection_string" {
  description = "spark.streampulse.eventhubs.connection-string of the agents."
  value       = azurerm_eventhub_authorization_rule.send.primary_connection_string
  sensitive   = true
}

output "listen_connection_string" {
  description = "spark.streampulse.eventhubs.connection-string of the consumer."
  value       = azurerm_eventhub_authorization_rule.listen.primary_connection_string
  sensitive   = true
}
