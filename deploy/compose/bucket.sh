#!/bin/sh
# The bucket, and the consumer's login, which may use that bucket and nothing else. Run again it
# changes nothing but the password, to that of .env.
set -eu
bucket=streampulse
user=consumer
policy=$bucket-objects
mc mb --ignore-existing "storage/$bucket"
mc admin policy create storage "$policy" /bucket-policy.json
mc admin user add storage "$user" "$STORAGE_CONSUMER_PASSWORD"
# What is attached already is refused, with an error.
case $(mc admin user info storage "$user") in
  *"$policy"*) echo "bucket: the login has its rights already" ;;
  *) mc admin policy attach storage "$policy" --user "$user" ;;
esac
