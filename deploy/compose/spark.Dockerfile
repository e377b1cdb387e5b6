# Spark with what the consumer needs, and Streampulse's jars; runs as Spark's own user.
# Built from the project's root after `mvn package -DskipTests`.
ARG SPARK_VERSION
FROM maven:3.9.11-eclipse-temurin-17 AS packages
ARG SPARK_VERSION
ARG SCALA_VERSION
ARG DELTA_VERSION
COPY deploy/compose/packages.xml /packages/pom.xml
RUN mvn -B -ntp -f /packages/pom.xml dependency:copy-dependencies -DoutputDirectory=/packages/jars \
    -Dspark.version=$SPARK_VERSION -Dscala.version=$SCALA_VERSION -Ddelta.version=$DELTA_VERSION

FROM apache/spark:${SPARK_VERSION}-scala2.13-java17-python3-ubuntu
ARG STREAMPULSE_VERSION
USER root
RUN mkdir -p /tables /opt/streampulse && chown spark:spark /tables
COPY --from=packages /packages/jars/ /opt/spark/jars/
COPY health-consumer/target/streampulse-health-consumer-${STREAMPULSE_VERSION}.jar /opt/streampulse/health-consumer.jar
COPY listener-agent/target/streampulse-listener-agent-${STREAMPULSE_VERSION}.jar /opt/streampulse/listener-agent.jar
COPY examples/streaming_job.py /opt/streampulse/
COPY --chmod=755 deploy/compose/submit.sh /opt/streampulse/
USER spark
WORKDIR /tmp
