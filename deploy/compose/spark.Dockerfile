# Two images, both of Spark's own and running as its user: the consumer, with what it needs of Kafka and
# Delta, for the cluster too; and a job, which has nothing of Streampulse but the agent's jar.
# Built from the project's root after `mvn package -DskipTests`:
#   docker build --target consumer -f deploy/compose/spark.Dockerfile --build-arg … .
ARG SPARK_VERSION
FROM maven:3.9.11-eclipse-temurin-17 AS packages
ARG SPARK_VERSION
ARG SCALA_VERSION
ARG DELTA_VERSION
COPY deploy/compose/packages.xml /packages/pom.xml
RUN mvn -B -ntp -f /packages/pom.xml dependency:copy-dependencies -DoutputDirectory=/packages/jars \
    -Dspark.version=$SPARK_VERSION -Dscala.version=$SCALA_VERSION -Ddelta.version=$DELTA_VERSION

FROM apache/spark:${SPARK_VERSION}-scala2.13-java17-python3-ubuntu AS job
ARG STREAMPULSE_VERSION
USER root
COPY --chmod=755 deploy/compose/submit.sh /opt/streampulse/
COPY listener-agent/target/streampulse-listener-agent-${STREAMPULSE_VERSION}.jar /opt/streampulse/listener-agent.jar
COPY examples/streaming_job.py /opt/streampulse/
USER spark
WORKDIR /tmp

# What Spark has it keeps: of two versions of a library it would be luck which one is loaded.
FROM apache/spark:${SPARK_VERSION}-scala2.13-java17-python3-ubuntu AS added
USER root
COPY --from=packages /packages/jars/ /added/
RUN cd /added && for jar in *.jar; do \
      if ls /opt/spark/jars/"${jar%%-[0-9]*}"-[0-9]*.jar > /dev/null 2>&1; then rm "$jar"; fi; \
    done

FROM apache/spark:${SPARK_VERSION}-scala2.13-java17-python3-ubuntu AS consumer
ARG STREAMPULSE_VERSION
USER root
RUN mkdir -p /tables && chown spark:spark /tables
COPY --from=added /added/ /opt/spark/jars/
COPY --chmod=755 deploy/compose/submit.sh /opt/streampulse/
COPY listener-agent/target/streampulse-listener-agent-${STREAMPULSE_VERSION}.jar /opt/streampulse/listener-agent.jar
COPY health-consumer/target/streampulse-health-consumer-${STREAMPULSE_VERSION}.jar /opt/streampulse/health-consumer.jar
USER spark
WORKDIR /tmp
